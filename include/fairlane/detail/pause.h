// A breath between two looks at what another processor may change. Not for direct use.
#pragma once

namespace fairlane::detail {

inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace fairlane::detail
