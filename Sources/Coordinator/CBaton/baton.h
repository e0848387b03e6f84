/*
 * baton.h: two processes of one wallet (app, notification service extension) share one Lightning node.
 *
 * One handle is one process's coordinator. The caller reports events (baton_event), carries out directives (baton_next, until
 * BATON_NONE, after every call), and calls baton_wake in time (baton_wait). Three calls cannot wait in the queue: they are the
 * callbacks in baton_options.
 *
 *   - One thread at a time may use a handle and everything from it.
 *   - Strings are UTF-8 and end with a zero byte. The library copies arguments before a call returns.
 *   - Results of baton_next, baton_error and a row callback belong to the library: the first two until the next call of the
 *     same function on that handle, a row's values until the callback returns.
 *   - A handle belongs to its process: open it after fork, not before.
 *   - Every number below is fixed: later versions only add some.
 */
#ifndef BATON_H
#define BATON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The result of a call. */
enum {
  BATON_OK = 0,
  BATON_NONE = 1,           /* there is no further directive */
  BATON_FENCED = 2,         /* the lease is over: close the connection, write nothing, discard the node */
  BATON_BLOCKED = 3,        /* a process is inside a transaction; nothing was done, try again in a moment */
  BATON_DISK_FULL = 4,      /* nothing was written */
  BATON_CONTAINER_LOST = 5, /* this process can never use its container again */
  BATON_DAMAGED = 6,        /* the database is damaged or missing: restore the peer's backup */
  BATON_NEWER_VERSION = 7,  /* a newer version of the wallet has written the database */
  BATON_UNUSABLE = 8,       /* the path, its permissions, or its content */
  BATON_FAILED = 9,         /* the write may be durable or not: read again */
  BATON_MISUSE = 10,        /* a wrong argument, or a handle that did not open */
  BATON_SQL = 11,           /* the statement was refused; baton_error has SQLite's message */
  BATON_CALLERS = 100       /* from here on: the result of a callback of the caller */
};

enum { BATON_APP = 1, BATON_EXTENSION = 2 };

typedef struct baton baton;
/* One open transaction; valid during its callback only. */
typedef struct baton_access baton_access;

/* ---- Values ---- */

enum { BATON_NULL = 0, BATON_INTEGER = 1, BATON_REAL = 2, BATON_TEXT = 3, BATON_BLOB = 4 };

typedef struct baton_value {
  int32_t type;
  int64_t integer;
  double real;
  const void *bytes; /* of a text or a blob */
  size_t length;     /* in bytes, without a zero byte at the end */
} baton_value;

/* BATON_OK continues; any other value ends the query, and baton_sql returns it. */
typedef int32_t (*baton_row)(const baton_value *columns, size_t count, void *context);
/* BATON_OK commits; any other value rolls back, and baton_write or baton_read returns it. */
typedef int32_t (*baton_body)(baton_access *access, void *context);

/* Report each settled payment with baton_found: the one with this hash (32 bytes), if it is settled; if the hash is null, those
   settled since the served push arrived (nanoseconds since 1970). A payment is settled when its HTLC has left the channel:
   before that the peer may not have the preimage. Returns BATON_OK, or the result of baton_sql. */
typedef int32_t (*baton_settled)(baton_access *access, const uint8_t *hash, int64_t since, void *context);

/* Close the socket of this lease's node before returning: the lock is dropped next, and another process dials. Write nothing,
   and discard the node. No event is expected. */
typedef void (*baton_cut_off)(uint64_t lease, void *context);

/* ---- Opening and closing ---- */

typedef struct baton_options {
  int32_t role;
  const char *directory;          /* created if it is missing */
  const char *const *migrations;  /* the steps of the wallet's own schema; append only, once shipped */
  size_t migration_count;
  /* Called during other calls. They may call only baton_sql and baton_found. */
  baton_body read_state;          /* inside each claim: read the state for BATON_START_NODE; may be null */
  baton_settled settled;          /* for the extension: payments settled by either process; may be null in the app */
  baton_cut_off cut_off;
  void *context;                  /* for all three */
} baton_options;

/* Call it first in a process, before the node opens sockets. Sets a handle even when it fails, for baton_error; close it too.
   No handle only without memory or options. */
int32_t baton_open(const baton_options *options, baton **handle);
/* Cuts off a running node, then drops its lock. */
void baton_close(baton *handle);

/* One sentence about the last call that failed, for a log; never null. */
const char *baton_error(const baton *handle);

/* ---- Events ---- */

/* The app is in the foreground and wants the node; or went to the background. */
int32_t baton_want(baton *handle);
int32_t baton_unwant(baton *handle);

enum {
  /* From the phone. */
  BATON_EVENT_PUSH = 1,                    /* id, code: a reason, bytes: the payment hash or nothing */
  BATON_EVENT_SILENT_PUSH = 2,             /* the same; number: the phone's time limit in nanoseconds, or 0 */
  BATON_EVENT_TIME_WILL_EXPIRE = 3,        /* id of the push */
  BATON_EVENT_BACKGROUND_TIME_EXPIRED = 4, /* id of the task */
  BATON_EVENT_TERMINATION_REQUESTED = 5,
  BATON_EVENT_NETWORK = 6,                 /* code: 1 available, 0 not */
  BATON_EVENT_MOVE_HERE = 7,               /* the user asks to move the node to this device */
  /* From the wallet: a task that must be finished. */
  BATON_EVENT_TASK_BEGAN = 8,              /* text: its name, number: its generation */
  BATON_EVENT_TASK_ENDED = 9,
  /* From the other process. */
  BATON_EVENT_PRESENCE = 10,               /* bytes, from the other process's BATON_SEND_PRESENCE */
  BATON_EVENT_PARTNER_ENDED = 11,
  /* From the node; id: its lease. Reports of a lease that is over are dropped. */
  BATON_EVENT_CONNECTING = 20,
  BATON_EVENT_ESTABLISHED = 21,
  BATON_EVENT_BUSY = 22,                   /* code: BATON_SETTLING and BATON_SPLICING added, 0 for neither; bytes: the payment
                                              hashes, 32 bytes each, of payments with missing parts */
  BATON_EVENT_RECEIVED = 23,               /* bytes: the payment hash, number: msat, text: the wallet's text or null */
  BATON_EVENT_STOPPED = 24,                /* after BATON_STOP_NODE: closed, and nothing more will be written */
  BATON_EVENT_NODE_FENCED = 25,            /* found by other means than a write */
  BATON_EVENT_REFUSED = 26,                /* by the peer; number: its epoch, bytes: its container, 16 bytes */
  BATON_EVENT_TROUBLE = 27                 /* text: an error, for the status */
};

enum { BATON_SETTLING = 1, BATON_SPLICING = 2 };

enum {
  BATON_REASON_INCOMING_PAYMENT = 1,
  BATON_REASON_PENDING_SETTLEMENT = 2,
  BATON_REASON_OTHER = 3,
  BATON_REASON_UNREADABLE = 4
};

/* An event or a directive. Fields that its kind does not use are zero or null. */
typedef struct baton_message {
  int32_t kind;
  int32_t code;
  uint64_t id;
  uint64_t number;
  const char *text;
  const uint8_t *bytes;
  size_t length;
} baton_message;

int32_t baton_event(baton *handle, const baton_message *event);

/* Nanoseconds until baton_wake must be called, if nothing happens before; -1 if there is no deadline. */
int64_t baton_wait(const baton *handle);
int32_t baton_wake(baton *handle);

/* The process whose end should be reported with BATON_EVENT_PARTNER_ENDED, if the system can report it; 0 if there is none.
   Without that event its end is detected within 250 ms. */
int32_t baton_process_to_watch(const baton *handle);

/* Sends presence messages through sockets in the container instead of BATON_SEND_PRESENCE. Returns a descriptor: when it is
   readable, call baton_presence_arrived. -1 if the path is too long for a socket: then send the messages by other means, or not
   at all; without them everything still works, up to 2 s later. The descriptor is closed with the handle. */
int32_t baton_listen(baton *handle);
int32_t baton_presence_arrived(baton *handle);

/* ---- Directives ---- */

enum {
  /* The node. */
  BATON_START_NODE = 1,            /* id: the lease, which is its epoch too; bytes: the container, 16 bytes; code 1: it replaces
                                      another device's epoch `number` at the peer */
  BATON_STOP_NODE = 2,             /* id: the lease. Finish commits, shut down, drain, close, then BATON_EVENT_STOPPED; after 3 s
                                      the node is cut off */
  BATON_ACCEPT_NO_NEW_PAYMENT = 3, /* the other process will take over soon */
  BATON_DIAL_NOW = 4,
  /* The phone and the user. */
  BATON_SHOW = 10,                 /* code: a status, number: its epoch, id: a pid, text: of BATON_STATUS_HINDERED or _FAILED */
  BATON_NOTIFY = 11,               /* bytes: the payment hash, number: msat, text */
  BATON_WITHDRAW = 12,             /* bytes: the payment hash */
  BATON_MAY_CONNECT = 13,          /* code: 1 to the peer, 2 to others, 3 both, 0 none */
  BATON_BEGIN_TASK = 14,           /* begin a background task: id, text: a name or null */
  BATON_END_TASK = 15,             /* id. Everything is released: the app may be suspended */
  BATON_COMPLETED = 16,            /* id of a silent push, code: a completion */
  BATON_DELIVER = 17,              /* id of the push, code: a result, number, bytes and text of a payment; once for each push */
  BATON_FINISHED = 18,             /* id of the push, code: the reason. Everything is released */
  BATON_ENDED = 19,                /* code: the reason. Terminal */
  BATON_NOTE = 20,                 /* text for a log */
  BATON_SEND_PRESENCE = 21         /* bytes for the other process; may be lost */
};

enum {
  BATON_STATUS_IDLE = 0,
  BATON_STATUS_WAITING_FOR_EXTENSION = 1,
  BATON_STATUS_WAITING_FOR_PROCESS = 2,
  BATON_STATUS_APP_GOES_FIRST = 3,
  BATON_STATUS_BLOCKED = 4,
  BATON_STATUS_CLAIMING = 5,
  BATON_STATUS_CONNECTING = 6,
  BATON_STATUS_HINDERED = 7,
  BATON_STATUS_CONNECTED = 8,
  BATON_STATUS_SETTLING = 9,
  BATON_STATUS_RELEASING = 10,
  BATON_STATUS_USED_BY_ANOTHER_DEVICE = 11,
  BATON_STATUS_PEER_OUT_OF_REACH = 12,
  BATON_STATUS_FAILED = 13 /* number: the error as a call's result */
};

enum {
  BATON_RESULT_RECEIVED = 0,
  BATON_RESULT_NOTHING_RECEIVED = 1, /* number: the push's reason */
  BATON_RESULT_PARTS_WAIT = 2,       /* some parts are pending, the rest is awaited (BATON_EVENT_BUSY) */
  BATON_RESULT_PARTS_GIVEN_BACK = 3, /* the parts were failed back, as some were missing */
  BATON_RESULT_APP_CONTINUES = 4,
  BATON_RESULT_USED_BY_ANOTHER_DEVICE = 5 /* the peer serves another container of this wallet */
};

enum {
  BATON_FINISH_TOTAL_TIME = 0,
  BATON_FINISH_IDLE = 1,
  BATON_FINISH_APP_WANTS_NODE = 2,
  BATON_FINISH_HANDED_OVER = 3,
  BATON_FINISH_RECEIVED = 4,
  BATON_FINISH_UNREADABLE_PUSH = 5,
  BATON_FINISH_TIME_WILL_EXPIRE = 6,
  BATON_FINISH_FENCED = 7,
  BATON_FINISH_TERMINATED = 8,
  BATON_FINISH_OTHER_DEVICE = 9,
  BATON_FINISH_PEER_OUT_OF_REACH = 10,
  BATON_FINISH_TOO_MANY_PUSHES = 11,
  BATON_FINISH_CONTAINER_LOST = 12
};

enum { BATON_COMPLETED_NEW_DATA = 0, BATON_COMPLETED_NO_DATA = 1, BATON_COMPLETED_FAILED = 2 };
enum { BATON_END_FENCED = 0, BATON_END_TERMINATED = 1, BATON_END_CONTAINER_LOST = 2 };

/* The next directive, in the order in which to carry them out; BATON_NONE if there is none. */
int32_t baton_next(baton *handle, baton_message *directive);

/* ---- The node's state ---- */

/* The only way to write it: the claim is checked in the writing transaction. Durable when it returns BATON_OK; send nothing
   before. `what` is one line for the history. */
int32_t baton_write(baton *handle, uint64_t lease, const char *what, baton_body body, void *context);

/* Reads under the same check, row and state in one transaction; the body may be null. Required once more after the peer's
   channel_reestablish. */
int32_t baton_read(baton *handle, uint64_t lease, baton_body body, void *context);

/* One statement; `row` may be null. Only queries inside baton_read, read_state and settled. */
int32_t baton_sql(
    baton_access *access, const char *sql, const baton_value *values, size_t count, baton_row row, void *context);

/* Only in the callback `settled`: reports a settled payment. Its hash, 32 bytes, and the wallet's text or null. */
int32_t baton_found(baton_access *access, const uint8_t *hash, uint64_t msat, const char *text);

#ifdef __cplusplus
}
#endif
#endif
