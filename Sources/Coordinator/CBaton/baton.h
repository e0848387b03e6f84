/*
 * baton.h: two processes of one wallet (app, notification service extension) share one Lightning node.
 *
 * One handle is one process's coordinator. The caller tells it what happens (baton_event), carries out what it asks for
 * (baton_next, until there is nothing more, after every call), and calls baton_wake in time (baton_wait). Three things it cannot
 * wait for; they are callbacks in baton_options.
 *
 *   - One thread at a time may use a handle and what belongs to it.
 *   - Strings are UTF-8 and end with a zero byte. Whatever the caller passes is copied before the call returns.
 *   - What baton_next, baton_error and a row callback hand out belongs to the library: the first two until the next call of
 *     the same function on that handle, a row's values until the callback returns.
 *   - A handle is never moved to another process: open after fork, not before.
 *   - Every number below is fixed: later versions only add some.
 */
#ifndef BATON_H
#define BATON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call gives. */
enum {
  BATON_OK = 0,
  BATON_NONE = 1,           /* there is no further directive */
  BATON_FENCED = 2,         /* the lease is over: close the connection, write nothing, throw the node away */
  BATON_BLOCKED = 3,        /* somebody is inside a transaction; nothing was done, try again in a moment */
  BATON_DISK_FULL = 4,      /* nothing was written */
  BATON_CONTAINER_LOST = 5, /* this process can never use its container again */
  BATON_DAMAGED = 6,        /* the database is damaged or gone: ask the peer for its backup */
  BATON_NEWER_VERSION = 7,  /* a newer version of the wallet has written the database */
  BATON_UNUSABLE = 8,       /* the path, its rights, or what lies there */
  BATON_FAILED = 9,         /* unknown whether it was done: read again */
  BATON_MISUSE = 10,        /* a wrong argument, or a handle that did not open */
  BATON_SQL = 11,           /* the statement was refused; baton_error has SQLite's words */
  BATON_CALLERS = 100       /* from here on: whatever a callback of the caller's returned */
};

enum { BATON_APP = 1, BATON_EXTENSION = 2 };

typedef struct baton baton;
/* The inside of one transaction; no longer than the callback that it is given to. */
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

/* BATON_OK goes on; anything else ends the query, and is what baton_sql returns. */
typedef int32_t (*baton_row)(const baton_value *columns, size_t count, void *context);
/* BATON_OK commits; anything else rolls back, and is what baton_write or baton_read returns. */
typedef int32_t (*baton_body)(baton_access *access, void *context);

/* What is settled: the payment of this hash (32 bytes) if it is; with null, those that were settled since then (nanoseconds since
   1970), when the push that is served arrived. Each is named with baton_found. A payment is settled when its HTLC has left the
   channel: before that the peer may not have the preimage yet. BATON_OK, or what baton_sql gave. */
typedef int32_t (*baton_settled)(baton_access *access, const uint8_t *hash, int64_t since, void *context);

/* Close the socket of this lease's node, before this returns: the next thing is that the lock is dropped, and another process
   dials. Write nothing, and throw the node away. No event is waited for. */
typedef void (*baton_cut_off)(uint64_t lease, void *context);

/* ---- Opening and closing ---- */

typedef struct baton_options {
  int32_t role;
  const char *directory;          /* created if it is missing */
  const char *const *migrations;  /* the steps of the wallet's own schema; what has shipped is only added to */
  size_t migration_count;
  /* Called in the middle of other calls. They call nothing of this library but baton_sql and baton_found. */
  baton_body read_state;          /* inside each claim: what the node starts from; may be null */
  baton_settled settled;          /* what the app has received meanwhile; the app's own handle may have null */
  baton_cut_off cut_off;
  void *context;                  /* for all three */
} baton_options;

/* The first thing in a process, before the node opens sockets. Gives a handle even when it fails, so that baton_error can say
   why; it is to be closed all the same. No handle only without memory or without options. */
int32_t baton_open(const baton_options *options, baton **handle);
/* A node that still runs is cut off, and then its lock is free. */
void baton_close(baton *handle);

/* One sentence about the last call that failed, for a log; never null. */
const char *baton_error(const baton *handle);

/* ---- What happens ---- */

/* The app is in front of the user and wants the node; or is not any more. */
int32_t baton_want(baton *handle);
int32_t baton_unwant(baton *handle);

enum {
  /* From the phone. */
  BATON_EVENT_PUSH = 1,                    /* id, code: a reason, bytes: the payment's hash or nothing */
  BATON_EVENT_SILENT_PUSH = 2,             /* the same; number: nanoseconds that the phone gives, or 0 */
  BATON_EVENT_TIME_WILL_EXPIRE = 3,        /* id of the push */
  BATON_EVENT_BACKGROUND_TIME_EXPIRED = 4, /* id of the task */
  BATON_EVENT_TERMINATION_REQUESTED = 5,
  BATON_EVENT_NETWORK = 6,                 /* code: 1 it is there, 0 it is not */
  BATON_EVENT_MOVE_HERE = 7,               /* the user says that the node is on this device from now on */
  /* From the wallet: work that must not be left half done. */
  BATON_EVENT_TASK_BEGAN = 8,              /* text: its name, number: its generation */
  BATON_EVENT_TASK_ENDED = 9,
  /* From the other process. */
  BATON_EVENT_PRESENCE = 10,               /* bytes, as BATON_SEND_PRESENCE gave them there */
  BATON_EVENT_PARTNER_ENDED = 11,
  /* From the node; id: its lease. News of a lease that is over is dropped. */
  BATON_EVENT_CONNECTING = 20,
  BATON_EVENT_ESTABLISHED = 21,
  BATON_EVENT_BUSY = 22,                   /* code: BATON_SETTLING and BATON_SPLICING added, 0 for neither; bytes: the hashes, 32
                                              bytes each, of payments of which parts are here and wait for the others */
  BATON_EVENT_RECEIVED = 23,               /* bytes: the payment's hash, number: msat, text: the wallet's words or null */
  BATON_EVENT_STOPPED = 24,                /* as BATON_STOP_NODE asked: closed, and nothing more will be written */
  BATON_EVENT_NODE_FENCED = 25,            /* found by other means than a write */
  BATON_EVENT_REFUSED = 26,                /* by the peer; number: its epoch, bytes: its container, 16 bytes */
  BATON_EVENT_TROUBLE = 27                 /* text, for the status */
};

enum { BATON_SETTLING = 1, BATON_SPLICING = 2 };

enum {
  BATON_REASON_INCOMING_PAYMENT = 1,
  BATON_REASON_PENDING_SETTLEMENT = 2,
  BATON_REASON_OTHER = 3,
  BATON_REASON_UNREADABLE = 4
};

/* An event or a directive. What its kind does not name is zero or null. */
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

/* Nanoseconds until baton_wake must be called, if nothing else happens before; -1 for as long as nothing is to be done. */
int64_t baton_wait(const baton *handle);
int32_t baton_wake(baton *handle);

/* The process whose end is worth a BATON_EVENT_PARTNER_ENDED, where the system tells of it; 0 for none. Without that its end is
   found within 250 ms. */
int32_t baton_process_to_watch(const baton *handle);

/* Has presence messages go through sockets in the container, in place of BATON_SEND_PRESENCE. Gives a descriptor: when it can be
   read, call baton_presence_arrived. -1 where the path is too long for a socket: then send the messages by other means, or not
   at all; without them all comes to pass later by up to 2 s. The descriptor is closed with the handle. */
int32_t baton_listen(baton *handle);
int32_t baton_presence_arrived(baton *handle);

/* ---- What is asked for ---- */

enum {
  /* The node. */
  BATON_START_NODE = 1,            /* id: the lease, which is its epoch too; bytes: the container, 16 bytes; code 1: it takes the
                                      place of another device's epoch `number` at the peer */
  BATON_STOP_NODE = 2,             /* id: the lease. Finish commits, shut down, drain, close, then BATON_EVENT_STOPPED; after 3 s
                                      it is cut off */
  BATON_ACCEPT_NO_NEW_PAYMENT = 3, /* the other process is to take over soon */
  BATON_DIAL_NOW = 4,
  /* The phone and the user. */
  BATON_SHOW = 10,                 /* code: a status, number: its epoch, id: a pid, text: of BATON_STATUS_HINDERED or _FAILED */
  BATON_NOTIFY = 11,               /* bytes: a payment's hash, number: msat, text */
  BATON_WITHDRAW = 12,             /* bytes: a payment's hash */
  BATON_MAY_CONNECT = 13,          /* code: 1 to the peer, 2 to others, 3 both, 0 nothing */
  BATON_BEGIN_TASK = 14,           /* ask for time in the background: id, text: a name or null */
  BATON_END_TASK = 15,             /* id. Everything is released: the app may be suspended now */
  BATON_COMPLETED = 16,            /* id of a silent push, code: a completion */
  BATON_DELIVER = 17,              /* id of the push, code: a result, number, bytes and text of a payment; once for each push */
  BATON_FINISHED = 18,             /* id of the push, code: why. Everything is released */
  BATON_ENDED = 19,                /* code: why. Nothing follows */
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
  BATON_STATUS_FAILED = 13 /* number: what a call would have given */
};

enum {
  BATON_RESULT_RECEIVED = 0,
  BATON_RESULT_NOTHING_RECEIVED = 1, /* number: the push's reason */
  BATON_RESULT_PARTS_WAIT = 2,       /* parts of it are here, the rest is awaited (BATON_EVENT_BUSY) */
  BATON_RESULT_PARTS_GIVEN_BACK = 3, /* the sender has its parts back, as not all came */
  BATON_RESULT_APP_CONTINUES = 4
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

/* The next directive, in the order in which they are to be carried out; BATON_NONE when there is none. */
int32_t baton_next(baton *handle, baton_message *directive);

/* ---- The node's state ---- */

/* The only way to write it: the claim is checked in the transaction that writes. Durable when it returns BATON_OK; only then
   anything may be sent. `what` is one line for the history. */
int32_t baton_write(baton *handle, uint64_t lease, const char *what, baton_body body, void *context);

/* The same check for reading, row and state in one transaction; the body may be null. To be done once more after the peer's
   channel_reestablish. */
int32_t baton_read(baton *handle, uint64_t lease, baton_body body, void *context);

/* One statement; `row` may be null. Inside baton_read, read_state and settled only queries. */
int32_t baton_sql(
    baton_access *access, const char *sql, const baton_value *values, size_t count, baton_row row, void *context);

/* In the callback `settled` alone: this payment is. Its hash, 32 bytes, and the wallet's words or null. */
int32_t baton_found(baton_access *access, const uint8_t *hash, uint64_t msat, const char *text);

#ifdef __cplusplus
}
#endif
#endif
