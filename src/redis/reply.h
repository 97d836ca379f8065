// What the server answers, read without a look into what hiredis keeps where.
#pragma once

#include <hiredis/hiredis.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fairlane/error.h"

namespace fairlane::redis {

struct FreeReply {
  void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};
/// Null: there is none.
using Reply = std::unique_ptr<redisReply, FreeReply>;

/// A value inside of a reply, valid as long as the reply.
/// Errors: `corrupt` for a value of another kind, which scripts of this version do not answer.
class Value {
 public:
  explicit Value(const redisReply* value) noexcept : value_(value) {}

  bool is_nothing() const noexcept { return value_->type == REDIS_REPLY_NIL; }
  bool is_error() const noexcept { return value_->type == REDIS_REPLY_ERROR; }
  bool is_list() const noexcept { return value_->type == REDIS_REPLY_ARRAY; }
  std::int64_t integer() const {
    if (value_->type == REDIS_REPLY_STRING) return std::stoll(std::string(bytes()));
    check(value_->type == REDIS_REPLY_INTEGER);
    return value_->integer;
  }
  std::uint64_t count() const { return static_cast<std::uint64_t>(integer()); }
  /// Of a string, a status or an error.
  std::string_view bytes() const {
    check(value_->str != nullptr);
    return {value_->str, value_->len};
  }
  std::string text() const { return std::string(bytes()); }
  std::size_t size() const noexcept { return is_list() ? value_->elements : 0; }
  Value operator[](std::size_t place) const {
    check(place < size());
    return Value(value_->element[place]);
  }

 private:
  static void check(bool holds) {
    if (!holds) throw TransportError(ErrorCode::corrupt, "Redis answered what was not asked");
  }

  const redisReply* value_;
};

}  // namespace fairlane::redis
