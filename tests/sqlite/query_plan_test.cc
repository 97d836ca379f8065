// No verb's cost grows with the backlog: every statement goes by an index.
#include <set>

#include "sqlite/database.h"
#include "sqlite/ledger.h"
#include "sqlite/schema.h"
#include "sqlite_fixture.h"

namespace fairlane::sqlite {
namespace {

TEST_F(SqliteTest, EveryStatementOfAVerbGoesByAnIndex) {
  Database database(path(), 0);
  prepare_schema(database);
  const auto record = open_queue(database, "default", {}, false);
  const Ledger ledger(database, record.id, record.store);
  std::vector<std::string> statements;
  for (sqlite3_stmt* each = nullptr;
       (each = sqlite3_next_stmt(database.handle(), each)) != nullptr;) {
    statements.emplace_back(sqlite3_sql(each));
  }
  ASSERT_GT(statements.size(), 40U);
  int scans = 0;
  for (const auto& sql : statements) {
    if (sql.rfind("PRAGMA", 0) == 0) continue;
    Statement explain(database, "EXPLAIN QUERY PLAN " + sql);
    auto row = explain.with();
    while (row.next()) {
      const std::string step(row.bytes(3));
      // `stats` may scan; a RETURNING clause reads what it has just written.
      const bool counts = sql.find("count(*)") != std::string::npos ||
                          sql.find("min(head_seq)") != std::string::npos;
      if (step.rfind("SCAN", 0) == 0) ++scans;
      EXPECT_TRUE(step.rfind("SCAN", 0) != 0 || counts) << sql << "\n" << step;
      EXPECT_EQ(step.find("TEMP B-TREE"), std::string::npos) << sql << "\n" << step;
    }
  }
  RecordProperty("scans", scans);
}

}  // namespace
}  // namespace fairlane::sqlite
