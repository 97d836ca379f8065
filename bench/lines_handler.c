/* The smallest handler for `fairlane run --mode lines`: says "done" to each event it is given.
 * It answers all lines that one read brought with one write. For events whose group has no
 * "seq": in it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { buffer_size = 1 << 20, answer_size = 64 };

static char input[buffer_size + 1];
static char output[buffer_size];
static size_t output_length;

/* 0, or -1 if the reader is gone. */
static int flush_output(void) {
  size_t written = 0;
  while (written < output_length) {
    const ssize_t n = write(STDOUT_FILENO, output + written, output_length - written);
    if (n < 0 && errno != EINTR) return -1;
    if (n > 0) written += (size_t)n;
  }
  output_length = 0;
  return 0;
}

static int answer(const char* line) {
  const char* const seq = strstr(line, "\"seq\":");
  int digits;
  if (seq == NULL) return -1;
  if (output_length + answer_size > sizeof output && flush_output() != 0) return -1;
  digits = (int)strspn(seq + 6, "0123456789");
  output_length += (size_t)snprintf(output + output_length, answer_size,
                                    "{\"seq\":%.*s,\"result\":\"done\"}\n", digits, seq + 6);
  return 0;
}

/* Answers the whole lines among `length` bytes of input; returns how many bytes they were, or -1. */
static ssize_t answer_lines(size_t length) {
  char* line = input;
  char* end;
  while ((end = memchr(line, '\n', length - (size_t)(line - input))) != NULL) {
    *end = '\0';
    if (answer(line) != 0) return -1;
    line = end + 1;
  }
  return line - input;
}

int main(void) {
  size_t length = 0;
  for (;;) {
    const ssize_t n = read(STDIN_FILENO, input + length, buffer_size - length);
    ssize_t used;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0 ? 0 : 1;
    length += (size_t)n;
    used = answer_lines(length);
    if (used < 0 || flush_output() != 0) return 1;
    length -= (size_t)used;
    memmove(input, input + used, length);
    if (length == buffer_size) return 1;
  }
}
