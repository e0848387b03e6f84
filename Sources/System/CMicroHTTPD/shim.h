#pragma once
#include <microhttpd.h>
#include <strings.h>

// libmicrohttpd takes options, and gives information, through variadic functions, which Swift cannot call.

// A server without threads and without a socket of its own: connections are handed to it, and it works in MHD_run.
// `seen` gets each request's target before it is decoded, and its result is the `request` of the others.
static inline struct MHD_Daemon *baton_http_start(
    MHD_AccessHandlerCallback answer, void *(*seen)(void *, const char *, struct MHD_Connection *),
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback changed, void *context,
    unsigned int connections, size_t bytes_per_connection, unsigned int silence_seconds) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, context,
      MHD_OPTION_URI_LOG_CALLBACK, seen, context,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, changed, context,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, bytes_per_connection,
      MHD_OPTION_CONNECTION_TIMEOUT, silence_seconds,
      MHD_OPTION_END);
}

// Readable when the server has work; -1 without one.
static inline int baton_http_epoll(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *information = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return information ? information->epoll_fd : -1;
}

static inline int baton_http_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *information =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return information ? information->connect_fd : -1;
}

// 0 if the server does not take the socket, which is closed then.
static inline int baton_http_add(
    struct MHD_Daemon *daemon, int socket, const struct sockaddr *address, socklen_t size) {
  return MHD_add_connection(daemon, socket, address, size) == MHD_YES;
}

static inline int baton_http_has_closed(enum MHD_ConnectionNotificationCode change) {
  return change == MHD_CONNECTION_NOTIFY_CLOSED;
}

static inline const char *baton_http_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

struct baton_http_named {
  const char *name;
  int count;
};

static inline enum MHD_Result baton_http_count_named(
    void *context, enum MHD_ValueKind kind, const char *key, const char *value) {
  struct baton_http_named *named = context;
  if (strcasecmp(key, named->name) == 0) ++named->count;
  return MHD_YES;
}

static inline int baton_http_header_count(struct MHD_Connection *connection, const char *name) {
  struct baton_http_named named = {name, 0};
  MHD_get_connection_values(connection, MHD_HEADER_KIND, baton_http_count_named, &named);
  return named.count;
}

// A copy of the bytes as a response.
static inline struct MHD_Response *baton_http_response(const void *bytes, size_t size) {
  return MHD_create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

// A response without an end, of which `read` gives one piece after the other.
static inline struct MHD_Response *baton_http_stream(
    MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback free) {
  return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16 * 1024, read, context, free);
}

static inline ssize_t baton_http_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }

static inline enum MHD_Result baton_http_goes_on(void) { return MHD_YES; }

// Ends the connection without an answer.
static inline enum MHD_Result baton_http_no_answer(void) { return MHD_NO; }

// Milliseconds until the server has work without a socket's event; -1 for never.
static inline long long baton_http_timeout_ms(struct MHD_Daemon *daemon) {
  MHD_UNSIGNED_LONG_LONG span;
  return MHD_get_timeout(daemon, &span) == MHD_YES ? (long long)span : -1;
}
