import Crypto
import Heartbeat
import Lightning
import Wallet

let boot = BootID(high: 1, low: 2)
let container = ContainerID(high: 3, low: 4)
let otherContainer = ContainerID(high: 5, low: 6)

func seconds(_ count: Double) -> Instant { Instant(nanoseconds: Int64((count * 1000).rounded()) * 1_000_000) }

/// Thirty-two bytes that begin with these digits.
func hash(_ digits: String) -> Bytes32 {
  Bytes32(hex: digits + String(repeating: "0", count: 64 - digits.count)) ?? .zero
}

func payment(_ digits: String) -> OutgoingPayment {
  OutgoingPayment(paymentHash: hash(digits), amountMsat: 1000, paymentSecret: hash("5ec"))
}

func invoice(_ digits: String) -> Invoice {
  Invoice(paymentHash: hash(digits), amountMsat: 1000, text: "tea", tweak: hash("7ea"), expiresAt: .max)
}

let invoiceRequest = Request.invoice(amountMsat: 1000, text: "tea", expirySeconds: 60)
let spliceRequest = SpliceRequest(amountSat: 4000, script: OutputScript([0x51, 2, 0x4e, 0x73]))

/// A pending splice; each number has its own transaction.
func splice(_ number: UInt8) -> PendingSplice {
  PendingSplice(
    isOurs: true, stage: .signing, transaction: Bytes([number]), fundingIndex: 0, amountSat: 4000, feeSat: 200
  )
}

func process(_ role: Role) -> ProcessIdentity {
  ProcessIdentity(pid: role == .app ? 100 : 200, startTime: 1, boot: boot)
}

func row(_ epoch: Epoch, _ role: Role) -> ClaimRow {
  ClaimRow(epoch: epoch, role: role, process: process(role), incarnation: epoch &* 1000, container: container)
}

func claim(_ epoch: Epoch) -> Claim { Claim(epoch: epoch, incarnation: epoch &* 1000, container: container) }

/// An observation in which the role lock is free.
func free(_ epoch: Epoch, _ role: Role) -> Observation {
  Observation(
    row: row(epoch, role), holderLockIsBusy: false, beat: nil, appWantsNode: false, boot: boot,
    bootClock: seconds(0))
}
