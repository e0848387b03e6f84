#pragma once
// System calls that Swift cannot import, by topic. Functions return -1 and set errno, as the wrapped calls do.
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

// Event loop: hides the packed union of epoll_event.
struct baton_ready {
  uint64_t token;
  uint32_t events;
};
int baton_epoll_control(int epoll, int operation, int descriptor, uint32_t events, uint64_t token);
int baton_epoll_wait(int epoll, struct baton_ready *ready, int capacity, int timeout_ms);
extern const uint32_t baton_epoll_in, baton_epoll_out, baton_epoll_hang_up,
    baton_epoll_error;
int baton_signal_descriptor(int descriptor, uint64_t signals);

// Files.
int baton_open_directory_path(const char *path);

// Memory: bytes of the heap that are in use, over all arenas and large blocks.
uint64_t baton_heap_bytes(void);

// Processes.
int baton_pidfd_open(int32_t pid);
int baton_pidfd_send_signal(int pidfd, int signal);
/// A duplicate of another process's descriptor.
int baton_pidfd_getfd(int pidfd, int descriptor);
/// The process gets no further page from the kernel.
int baton_deny_memory(int32_t pid);
int baton_die_with_parent(int signal);
/// From now on orphaned descendants of this process become its children.
int baton_adopt_orphans(void);
int baton_is_ignored(int signal);
/// Disables core dumps of this process, to a file and to a core_pattern program.
int baton_dump_no_core(void);

struct baton_spawn_plan {
  const char *path;
  char *const *arguments;
  char *const *environment;
  // Becomes descriptor 3 of the child; -1 for none.
  int channel;
  // Becomes stdin, stdout and stderr of the child; -1 keeps the parent's.
  int input, output, error;
  // Soft limits in bytes; negative keeps the parent's.
  int64_t stack_limit, core_limit;
  int own_process_group;
  // With a process group of its own too.
  int own_session;
  // The signal the child gets when its parent dies; 0 for none.
  int parent_death_signal;
  // `cgroup.procs` of the group that the child joins before execve, open for writing; -1 for none.
  int group;
};
// The pid, or -1 with errno of the step that failed, execve included.
int32_t baton_spawn(const struct baton_spawn_plan *plan);

// The words of the command line, the program's name among them. Swift's own `CommandLine` looks for them below `environ`,
// and finds none if a preloaded library has changed the environment.
int baton_argument_count(void);
const char *baton_argument(int index);

// Sockets.
int baton_peer_credentials(int descriptor, int32_t *pid, uint32_t *uid);
int baton_seqpacket_socket(void);
int baton_seqpacket_pair(int descriptors[2]);
int baton_accept(int descriptor);

// From now on a bus error (a truncated mapped file) writes the sentence to stderr, sends the packet to the channel
// (-1 for none), and exits with the code. Both texts must live as long as the process.
int baton_end_on_bus_error(const char *sentence, int channel, const void *packet, size_t packet_size, int code);

// A terminal that a program draws on. `keys_begin` keeps its settings, and turns echo and line editing off; ^C, ^Z and
// ^\\ stay signals. `keys_end` restores them. From `restore_on_crash` on, a fatal signal restores them too and writes the
// bytes, which must live as long as the process; then the handler before it runs.
int baton_terminal_keys_begin(int descriptor);
int baton_terminal_keys_end(int descriptor);
int baton_terminal_restore_on_crash(int descriptor, const char *bytes, size_t size);
