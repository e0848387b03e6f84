#!/usr/bin/env python3
"""Baton's invoices read by another library, and that library's invoices read by Baton.

    Tests/Interop/invoices.py PROGRAMS [--count N] [--seed N]

PROGRAMS is the directory that has TestInvoices, such as .build/release. The library is `bolt11` over `coincurve`, from
PyPI; it needs a `bitstring` before 5.

The invoices are random, within the library's limits: one fallback address, at most four hops in a route hint, and fees
and deltas that it does not read as negative. Exits with 1 if anything differs.
"""

import argparse
import json
import os
import random
import subprocess
import sys

from bitstring import BitArray, Bits, pack
from bolt11 import Bolt11, Fallback, Features, MilliSatoshi, Route, RouteHint, Tag, TagChar, Tags, decode, encode
from coincurve import PrivateKey, PublicKey

LETTERS = "aZ 1é杯☕\n\"\\"
KNOWN = [8, 14, 16, 24, 36, 48]
THOUSAND_BITCOIN = 10**14


def hexadecimal(size):
    return random.randbytes(size).hex()


def key():
    while True:
        try:
            return PrivateKey(random.randbytes(32))
        except ValueError:
            continue


def number(bits):
    """Of random length, without 0, which the library cannot write."""
    return random.getrandbits(random.randint(1, bits)) or 1


def amount():
    # The library writes a multiple of 1,000 bitcoin wrongly.
    while True:
        msat = number(48) * random.choice([1, 1, 100, 1000, 10**5, 10**8]) % (21 * 10**17)
        if msat % THOUSAND_BITCOIN:
            return msat


def features():
    bits = {bit + random.randint(0, 1) for bit in KNOWN if random.random() < 0.4}
    bits |= {2 * random.randint(25, 300) + 1 for _ in range(random.randint(0, 2))}
    if bits & {16, 17} and not bits & {14, 15}:
        bits.add(14)
    return sorted(bits)


def hop():
    return {
        "node": key().public_key.format().hex(),
        "channel": f"{random.getrandbits(24)}x{random.getrandbits(24)}x{random.getrandbits(16)}",
        "baseFeeMsat": random.getrandbits(31),
        "feeMillionths": random.getrandbits(31),
        "expiryDelta": random.getrandbits(15),
    }


def fallback():
    version = random.randint(0, 18)
    size = random.choice([20, 32]) if version == 0 else 20 if version > 16 else random.randint(2, 40)
    return {"version": version, "program": hexadecimal(size)}


def fields():
    """In TestInvoices' format, without absent fields."""
    it = {
        "network": random.choice(["bc", "tb", "tbs", "bcrt"]),
        "timestamp": number(35),
        "paymentHash": hexadecimal(32),
        "paymentSecret": hexadecimal(32),
        "namesPayee": random.random() < 0.3,
        "fallbacks": [fallback()] if random.random() < 0.4 else [],
        "routeHints": [[hop() for _ in range(random.randint(1, 4))] for _ in range(random.randint(0, 2))],
        "features": features(),
    }
    if random.random() < 0.7:
        it["text"] = "".join(random.choice(LETTERS) for _ in range(random.randint(1, 150)))
    else:
        it["textHash"] = hexadecimal(32)
    if random.random() < 0.7:
        it["amountMsat"] = amount()
    if random.random() < 0.6:
        it["expirySeconds"] = number(40)
    if random.random() < 0.6:
        it["finalExpiryDelta"] = number(16)
    if random.random() < 0.3:
        it["metadata"] = hexadecimal(random.randint(1, 600))
    return it


def theirs(word):
    """The library's fields in TestInvoices' format, and the message that was signed."""
    invoice = decode(word)
    tags = invoice.tags
    it = {
        "network": invoice.currency,
        "timestamp": invoice.date,
        "paymentHash": invoice.payment_hash,
        "paymentSecret": invoice.payment_secret,
        "fallbacks": [],
        "routeHints": [],
        "features": [],
        "payee": invoice.payee,
        "signature": invoice.signature.signature_data.hex(),
    }
    if invoice.amount_msat is not None:
        it["amountMsat"] = int(invoice.amount_msat)
    for name, tag in [
        ("text", TagChar.description),
        ("textHash", TagChar.description_hash),
        ("expirySeconds", TagChar.expire_time),
        ("finalExpiryDelta", TagChar.min_final_cltv_expiry),
        ("metadata", TagChar.metadata),
    ]:
        if tags.has(tag):
            it[name] = tags.get(tag).data
    if invoice.fallback:
        bits = invoice.fallback.data
        whole = (len(bits) - 5) // 8 * 8
        it["fallbacks"] = [{"version": bits[:5].uint, "program": bits[5 : 5 + whole].tobytes().hex()}]
    for hint in invoice.route_hints:
        it["routeHints"].append(
            [
                {
                    "node": route.public_key,
                    "channel": route.short_channel_id,
                    "baseFeeMsat": route.base_fee,
                    "feeMillionths": route.ppm_fee,
                    "expiryDelta": route.cltv_expiry_delta,
                }
                for route in hint.routes
            ]
        )
    if invoice.features:
        bits = invoice.features.data
        it["features"] = sorted(len(bits) - 1 - place for place in bits.findall("0b1"))
    message = invoice.signature.hrp.encode() + invoice.signature.signing_data
    return it, message


def written(it, secret):
    """The same fields written by the library and signed by coincurve."""
    tags = Tags()
    tags.add(TagChar.payment_hash, it["paymentHash"])
    tags.add(TagChar.payment_secret, it["paymentSecret"])
    if "text" in it:
        tags.add(TagChar.description, it["text"])
    else:
        tags.add(TagChar.description_hash, it["textHash"])
    if it["namesPayee"]:
        tags.add(TagChar.payee, secret.public_key.format().hex())
    for name, tag in [
        ("expirySeconds", TagChar.expire_time),
        ("finalExpiryDelta", TagChar.min_final_cltv_expiry),
        ("metadata", TagChar.metadata),
    ]:
        if name in it:
            tags.add(tag, it[name])
    for address in it["fallbacks"]:
        bits = pack("uint:5", address["version"]) + Bits(hex=address["program"])
        tags.add(TagChar.fallback, Fallback(bits, it["network"]))
    for hint in it["routeHints"]:
        routes = [
            Route(hop["node"], hop["channel"], hop["baseFeeMsat"], hop["feeMillionths"], hop["expiryDelta"])
            for hop in hint
        ]
        tags.add(TagChar.route_hint, RouteHint(routes))
    if it["features"]:
        size = (max(it["features"]) + 5) // 5 * 5
        bits = BitArray(length=size)
        bits.set(True, [size - 1 - bit for bit in it["features"]])
        tags.add(TagChar.features, Features(Bits(bits), {}))
    msat = MilliSatoshi(it["amountMsat"]) if "amountMsat" in it else None
    invoice = Bolt11(currency=it["network"], date=it["timestamp"], tags=tags, amount_msat=msat)
    return encode(invoice, secret.to_hex(), keep_payee=True)


def ask(program, lines):
    """One answer for each line."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    answers = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout
    answers = [json.loads(line) for line in answers.split("\n") if line]
    if len(answers) != len(lines):
        sys.exit(f"invoices.py: TestInvoices gave {len(answers)} answers to {len(lines)} lines")
    return answers


class Differences:
    def __init__(self):
        self.count = 0

    def expect(self, what, found, wanted, word):
        if found == wanted:
            return
        self.count += 1
        if self.count <= 5:
            print(f"{what} differs in {word}\n  found  {found}\n  wanted {wanted}")


def compare(differences, found, wanted, word, skipping=()):
    for name in sorted(set(found) | set(wanted)):
        if name not in skipping:
            differences.expect(name, found.get(name), wanted.get(name), word)


def ours_read_by_them(program, count, differences):
    requests = [(fields(), key()) for _ in range(count)]
    answers = ask(program, [{**it, "key": secret.to_hex()} for it, secret in requests])
    for (it, secret), answer in zip(requests, answers):
        word = answer.get("word")
        if word is None:
            differences.expect("the encoding", answer, "a word", it)
            continue
        try:
            found, message = theirs(word)
        except Exception as error:
            differences.expect("the decoding", repr(error), "fields", word)
            continue
        signature = bytes.fromhex(found["signature"])
        public = secret.public_key.format().hex()
        compare(differences, found, {**it, "payee": public}, word, skipping=("namesPayee", "signature"))
        recovered = PublicKey.from_signature_and_message(signature, message).format().hex()
        differences.expect("the signer", recovered, public, word)
        differences.expect("the signature", signature, secret.sign_recoverable(message), word)
    return len(requests)


def theirs_read_by_us(program, count, differences):
    made = []
    for _ in range(count):
        it, secret = fields(), key()
        word = written(it, secret)
        made.append((it, secret, word.upper() if random.random() < 0.2 else word))
    answers = ask(program, [{"word": word} for _, _, word in made])
    for (it, secret, word), found in zip(made, answers):
        if "error" in found:
            differences.expect("the decoding", found["error"], "fields", word)
            continue
        compare(differences, found, {**it, "payee": secret.public_key.format().hex()}, word, skipping=("signature",))
        signature, message = theirs(word)[0]["signature"], theirs(word)[1]
        differences.expect("the signature", found["signature"], signature, word)
        differences.expect("the signer", secret.sign_recoverable(message).hex(), signature, word)
    return len(made)


def main():
    parser = argparse.ArgumentParser(description="Invoices of Baton and of the library bolt11, each read by the other.")
    parser.add_argument("programs", metavar="PROGRAMS", help="the directory of TestInvoices, such as .build/release")
    parser.add_argument("--count", type=int, default=1000, help="of each kind (1000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    chosen = parser.parse_args()
    random.seed(chosen.seed)
    program = os.path.join(chosen.programs, "TestInvoices")
    differences = Differences()
    ours = ours_read_by_them(program, chosen.count, differences)
    print(f"bolt11 read {ours} invoices of Baton, coincurve checked their signatures")
    read = theirs_read_by_us(program, chosen.count, differences)
    print(f"Baton read {read} invoices of bolt11, signed by coincurve")
    print(f"{differences.count} differences")
    sys.exit(1 if differences.count else 0)


if __name__ == "__main__":
    main()
