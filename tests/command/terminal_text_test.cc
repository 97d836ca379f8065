#include "text/terminal_text.h"

#include <gtest/gtest.h>

#include <string>

#include "text/json_text.h"
#include "text/utf8.h"

namespace fairlane::text {
namespace {

TEST(TerminalTextTest, LeavesReadableTextAlone) {
  EXPECT_EQ(terminal_text("order-1: £5, 字, 😀"), "order-1: £5, 字, 😀");
}

TEST(TerminalTextTest, EscapesWhatDrivesATerminal) {
  EXPECT_EQ(terminal_text("\x1b]0;title\a"), "\\x1b]0;title\\x07");
  EXPECT_EQ(terminal_text("a\r\n\tb\x7f"), "a\\r\\n\\tb\\x7f");
  EXPECT_EQ(terminal_text("\xc2\x9b"), "\\u009b") << "the other way to begin a sequence";
  EXPECT_EQ(terminal_text(std::string("\0", 1)), "\\x00");
}

TEST(TerminalTextTest, EscapesWhatMisleadsItsReader) {
  EXPECT_EQ(terminal_text("\u202eabc"), "\\u202eabc");
  EXPECT_EQ(terminal_text("a\u200bb"), "a\\u200bb");
  EXPECT_EQ(terminal_text("\\x1b"), "\\\\x1b") << "text that looks like an escape";
  EXPECT_EQ(terminal_text("\U000e0041"), "\\U000e0041");
}

TEST(TerminalTextTest, ShowsWhatIsNotUtf8ByteByByte) {
  EXPECT_EQ(terminal_text("a\xff\xc3"), "a\\xff\\xc3");
}

TEST(TerminalTextTest, CutsLongTextByColumns) {
  EXPECT_EQ(terminal_text("0123456789", 10), "0123456789");
  EXPECT_EQ(terminal_text("0123456789a", 10), "0123456...");
  EXPECT_EQ(terminal_text("äöüäöüäöüäö", 10), "äöüäöüä...");
  EXPECT_EQ(terminal_text("01234\x1b\x1b\x1b", 10), "01234...") << "no escape is cut in two";
  EXPECT_EQ(columns_of("äöü"), 3u);
}

TEST(Utf8Test, IsJudgedByTheStandard) {
  for (const std::string text : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xef\xbf\xbf",
                                 "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
  for (const std::string text :
       {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98",
        "\xc3(", "a\xff"}) {
    EXPECT_FALSE(is_utf8(text)) << terminal_text(text);
  }
}

TEST(JsonBytesTest, AreTextWhereTheyCanBeAndBase64ElseWhere) {
  std::string out;
  append_json_bytes(out, "group", "a\"\n\x01é");
  append_json_bytes(out, "event", "\xff");
  EXPECT_EQ(out, "\"group\":\"a\\\"\\n\\u0001é\"\"event_base64\":\"/w==\"");
}

}  // namespace
}  // namespace fairlane::text
