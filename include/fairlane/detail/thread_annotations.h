// Clang's thread-safety attributes, and nothing for other compilers. Not for direct use.
#pragma once

#if defined(__clang__)
#define FAIRLANE_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define FAIRLANE_THREAD_ATTRIBUTE(x)
#endif

#define FAIRLANE_CAPABILITY(name) FAIRLANE_THREAD_ATTRIBUTE(capability(name))
#define FAIRLANE_SCOPED_CAPABILITY FAIRLANE_THREAD_ATTRIBUTE(scoped_lockable)
#define FAIRLANE_GUARDED_BY(x) FAIRLANE_THREAD_ATTRIBUTE(guarded_by(x))
#define FAIRLANE_REQUIRES(...) FAIRLANE_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define FAIRLANE_ACQUIRE(...) FAIRLANE_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define FAIRLANE_RELEASE(...) FAIRLANE_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define FAIRLANE_EXCLUDES(...) FAIRLANE_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
#define FAIRLANE_NO_THREAD_SAFETY_ANALYSIS FAIRLANE_THREAD_ATTRIBUTE(no_thread_safety_analysis)
