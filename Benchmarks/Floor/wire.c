// The floor of BOLT 8: both ends in one process, with the same two libraries and nothing else. Like ours it verifies every
// tag; it has no other checks.
//
//   wire handshake ROUNDS         three acts, and an init of the wallet's size each way
//   wire messages ROUNDS SIZE     one message sealed and opened
#include <secp256k1.h>
#include <secp256k1_ecdh.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEY = 32, POINT = 33, TAG = 16, INIT = 52 };

static secp256k1_context *curve;

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void check(int isFine, const char *what) {
  if (isFine) return;
  fprintf(stderr, "wire: %s\n", what);
  exit(70);
}

typedef struct { unsigned char secret[KEY], point[POINT]; } Pair;
typedef struct { unsigned char key[KEY], chain[KEY]; unsigned long long uses; } Cipher;
typedef struct { unsigned char hash[KEY], chain[KEY], key[KEY]; } Digest;

static Pair pair(void) {
  Pair p;
  secp256k1_pubkey key;
  size_t size = POINT;
  randombytes_buf(p.secret, KEY);
  check(secp256k1_ec_pubkey_create(curve, &key, p.secret), "key");
  secp256k1_ec_pubkey_serialize(curve, p.point, &size, &key, SECP256K1_EC_COMPRESSED);
  return p;
}

static void twoKeys(unsigned char *first, unsigned char *second, const unsigned char *salt, const void *from, size_t size) {
  unsigned char extracted[KEY], one[KEY], two[KEY], mark;
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, salt, KEY);
  crypto_auth_hmacsha256_update(&state, from, size);
  crypto_auth_hmacsha256_final(&state, extracted);
  crypto_auth_hmacsha256_init(&state, extracted, KEY);
  crypto_auth_hmacsha256_update(&state, (mark = 1, &mark), 1);
  crypto_auth_hmacsha256_final(&state, one);
  crypto_auth_hmacsha256_init(&state, extracted, KEY);
  crypto_auth_hmacsha256_update(&state, one, KEY);
  crypto_auth_hmacsha256_update(&state, (mark = 2, &mark), 1);
  crypto_auth_hmacsha256_final(&state, two);
  memcpy(first, one, KEY);
  memcpy(second, two, KEY);
}

static void mix(Digest *d, const void *said, size_t size) {
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  crypto_hash_sha256_update(&state, d->hash, KEY);
  crypto_hash_sha256_update(&state, said, size);
  crypto_hash_sha256_final(&state, d->hash);
}

static void agree(Digest *d, const Pair *ours, const unsigned char *theirs) {
  secp256k1_pubkey point;
  unsigned char shared[KEY];
  check(secp256k1_ec_pubkey_parse(curve, &point, theirs, POINT), "point");
  check(secp256k1_ecdh(curve, shared, &point, ours->secret, NULL, NULL), "agreement");
  twoKeys(d->chain, d->key, d->chain, shared, KEY);
}

static void nonce(unsigned char *bytes, unsigned long long number) {
  memset(bytes, 0, 4);
  for (int i = 0; i < 8; i++) bytes[4 + i] = (unsigned char)(number >> (8 * i));
}

static void put(Digest *d, unsigned char *out, const void *plain, size_t size, unsigned long long use) {
  unsigned char n[12];
  nonce(n, use);
  crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, plain, size, d->hash, KEY, NULL, n, d->key);
  mix(d, out, size + TAG);
}

static void take(Digest *d, unsigned char *plain, const unsigned char *in, size_t size, unsigned long long use) {
  unsigned char n[12];
  nonce(n, use);
  check(crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, in, size + TAG, d->hash, KEY, n, d->key) == 0, "tag");
  mix(d, in, size + TAG);
}

static Digest begin(const unsigned char *responder) {
  static const char name[] = "Noise_XK_secp256k1_ChaChaPoly_SHA256";
  Digest d;
  crypto_hash_sha256(d.hash, (const unsigned char *)name, sizeof name - 1);
  memcpy(d.chain, d.hash, KEY);
  mix(&d, "lightning", 9);
  mix(&d, responder, POINT);
  return d;
}

static void use(Cipher *c, unsigned char *n) {
  nonce(n, c->uses);
}

static void used(Cipher *c) {
  if (++c->uses < 1000) return;
  twoKeys(c->chain, c->key, c->chain, c->key, KEY);
  c->uses = 0;
}

static void seal(Cipher *c, unsigned char *out, const unsigned char *plain, size_t size) {
  unsigned char n[12], length[2] = {(unsigned char)(size >> 8), (unsigned char)size};
  use(c, n);
  crypto_aead_chacha20poly1305_ietf_encrypt(out, NULL, length, 2, NULL, 0, NULL, n, c->key);
  used(c);
  use(c, n);
  crypto_aead_chacha20poly1305_ietf_encrypt(out + 2 + TAG, NULL, plain, size, NULL, 0, NULL, n, c->key);
  used(c);
}

static void unseal(Cipher *c, unsigned char *plain, const unsigned char *in) {
  unsigned char n[12], length[2];
  use(c, n);
  check(crypto_aead_chacha20poly1305_ietf_decrypt(length, NULL, NULL, in, 2 + TAG, NULL, 0, n, c->key) == 0, "length");
  used(c);
  use(c, n);
  size_t size = (size_t)length[0] << 8 | length[1];
  check(crypto_aead_chacha20poly1305_ietf_decrypt(plain, NULL, NULL, in + 2 + TAG, size + TAG, NULL, 0, n, c->key) == 0, "message");
  used(c);
}

// Both ends, act by act; returns the ciphers of the dialler's direction.
static void handshake(const Pair *dialler, const Pair *answerer, Cipher ends[4]) {
  Digest a = begin(answerer->point), b = begin(answerer->point);
  unsigned char tag[TAG], sealed[POINT + TAG], plain[POINT], keys[2][KEY];
  Pair e = pair();
  mix(&a, e.point, POINT), agree(&a, &e, answerer->point), put(&a, tag, "", 0, 0);
  mix(&b, e.point, POINT), agree(&b, answerer, e.point), take(&b, plain, tag, 0, 0);
  Pair f = pair();
  mix(&b, f.point, POINT), agree(&b, &f, e.point), put(&b, tag, "", 0, 0);
  mix(&a, f.point, POINT), agree(&a, &e, f.point), take(&a, plain, tag, 0, 0);
  put(&a, sealed, dialler->point, POINT, 1), agree(&a, dialler, f.point), put(&a, tag, "", 0, 0);
  take(&b, plain, sealed, POINT, 1), agree(&b, &f, plain), take(&b, plain, tag, 0, 0);
  Digest *digests[2] = {&a, &b};
  for (int end = 0; end < 2; end++) {
    twoKeys(keys[0], keys[1], digests[end]->chain, "", 0);
    for (int way = 0; way < 2; way++) {
      Cipher *c = &ends[2 * end + way];
      memcpy(c->key, keys[way], KEY);
      memcpy(c->chain, digests[end]->chain, KEY);
      c->uses = 0;
    }
  }
}

int main(int count, char **words) {
  static unsigned char message[65535], wire[65535 + 2 + 2 * TAG], heard[65535];
  check(count >= 3 && sodium_init() >= 0, "usage: wire handshake ROUNDS, messages ROUNDS SIZE");
  curve = secp256k1_context_create(SECP256K1_CONTEXT_NONE);
  Pair dialler = pair(), answerer = pair();
  Cipher ends[4];
  handshake(&dialler, &answerer, ends);
  int rounds = atoi(words[2]);
  size_t size = count > 3 ? (size_t)atoi(words[3]) : INIT;
  for (int round = 0; round < rounds; round++) {
    long long started = now();
    if (strcmp(words[1], "handshake") == 0) {
      handshake(&dialler, &answerer, ends);
      seal(&ends[0], wire, message, INIT), unseal(&ends[2], heard, wire);
      seal(&ends[3], wire, message, INIT), unseal(&ends[1], heard, wire);
    } else {
      seal(&ends[0], wire, message, size), unseal(&ends[2], heard, wire);
    }
    printf("%lld\n", now() - started);
  }
  return 0;
}
