import Crypto
import Lightning

@testable import Judge

/// The message as the judge must read it: the same fields, or nil if this version of the project would never send it
/// (a signature that is not zeros, an unknown record).
enum JudgedMessage {
  /// `isWhole`: no record was dropped.
  static func of(_ message: Message, isWhole: Bool) -> WireMessage? {
    switch message {
    case .unknown(let type, _): return .other(type: Int(type))
    case _ where !isWhole: return nil
    case .initMessage(let body): return of(body)
    case .error(let body): return errorOrWarning(17, body)
    case .warning(let body): return errorOrWarning(1, body)
    case .ping(let body): return isZeros(body.ignored) ? .ping(pongSize: Int(body.pongSize)) : nil
    case .pong(let ignored): return isZeros(ignored) ? .pong(size: ignored.count) : nil
    case .peerStorage(let blob): return .storage(blob.array)
    case .peerStorageRetrieval(let blob): return .retrieval(blob.array)
    case .fenceAnswer(let body): return .fenceReply(of(body))
    case .pushKey(let key): return .pushKey(key.bytes.array)
    case .service: return .other(type: Int(Message.serviceType))
    case .holdEnded(let paymentHash): return .holdEnded(paymentHash: paymentHash.bytes)
    case .channelReestablish(let body): return of(body)
    case .addHTLC, .fulfillHTLC, .failHTLC, .failMalformedHTLC, .updateFee, .commitmentSigned, .revokeAndAck:
      return step(message).map { .step($0) }
    case .quiescence, .addInput, .addOutput, .transactionComplete, .transactionSignatures, .transactionAbort,
      .spliceLocked, .spliceInit, .spliceAck:
      return splice(message).map { .step(.splice($0)) }
    }
  }

  private static func errorOrWarning(_ type: Int, _ body: ErrorOrWarning) -> WireMessage {
    let text = String(decoding: body.data.array, as: UTF8.self)
    return .errorOrWarning(type: type, text: text, isStfuTimeout: body.code == .quiescenceTimeout)
  }

  private static func of(_ body: InitMessage) -> WireMessage? {
    guard body.others.records.isEmpty, body.networks.map({ $0 == [BitcoinNetwork.regtest.chain] }) ?? true
    else { return nil }
    let claim = body.fence.map {
      FenceClaim(
        epoch: Int64(bitPattern: $0.epoch), incarnation: Int64(bitPattern: $0.incarnation),
        container: $0.container.bytes)
    }
    let replaces = body.replaces.map {
      ReplacedFenceClaim(
        epoch: Int64(bitPattern: $0.epoch),
        container: $0.container.bytes)
    }
    return .initMessage(
      claim, features: body.globalFeatures.array + [0xff] + body.features.bytes.array, replaces: replaces)
  }

  private static func of(_ body: FenceAnswer) -> FenceReply {
    FenceReply(
      accepted: body.accepted, highest: Int64(bitPattern: body.highest),
      container: body.container.bytes)
  }

  private static func of(_ body: ChannelReestablish) -> WireMessage? {
    guard body.extensions.records.isEmpty, isZeros(body.myCurrentPerCommitmentPoint.bytes),
      body.nextFunding?.flags ?? 0 <= 1, body.fundingLocked?.flags ?? 0 == 0
    else { return nil }
    return .reestablish(
      WireMessage.Reestablish(
        channel: body.channel.bytes, nextCommitment: body.nextCommitmentNumber,
        nextRevocation: body.nextRevocationNumber, secret: body.yourLastPerCommitmentSecret.bytes,
        fundings: Fundings(
          next: body.nextFunding?.transaction.hash.bytes,
          needsCommitment: body.nextFunding?.needsCommitment ?? false,
          locked: body.fundingLocked?.transaction.hash.bytes)))
  }

  /// Nil for other inputs, witnesses and `require_confirmed_inputs`, which this version never sends.
  private static func splice(_ message: Message) -> SpliceStep? {
    switch message {
    case .quiescence(let body) where body.extensions.records.isEmpty: .stfu(isInitiator: body.isInitiator)
    case .spliceInit(let body) where body.extensions.records.isEmpty && !body.needsConfirmedInputs:
      .begin(
        SpliceTerms(
          contribution: body.contribution, feeratePerKw: UInt64(body.feeratePerKw),
          lockTime: UInt64(body.lockTime), key: body.fundingKey.bytes.array))
    case .spliceAck(let body) where body.extensions.records.isEmpty && !body.needsConfirmedInputs:
      .agree(contribution: body.contribution, key: body.fundingKey.bytes.array)
    case .addInput(let body) where body.extensions.records.isEmpty && body.previous.count == 0:
      body.sharedInput.map {
        .input(
          SpliceInput(
            serial: body.serial, outputIndex: UInt64(body.outputIndex), sequence: UInt64(body.sequence),
            spends: $0.hash.bytes))
      }
    case .addOutput(let body) where body.extensions.records.isEmpty:
      .output(SpliceOutput(serial: body.serial, satoshis: body.satoshis, script: body.script.array))
    case .transactionComplete(let body) where body.extensions.records.isEmpty: .complete
    case .transactionSignatures(let body)
    where body.extensions.records.isEmpty && body.witnesses.isEmpty
      && body.sharedInputSignature.map({ isZeros($0.bytes) }) == true:
      .signatures(txid: body.transaction.hash.bytes)
    case .transactionAbort(let body) where body.extensions.records.isEmpty: .abort(text: body.data.array)
    case .spliceLocked(let body) where body.extensions.records.isEmpty:
      .locked(txid: body.transaction.hash.bytes)
    default: nil
    }
  }

  private static func step(_ message: Message) -> ChannelStep? {
    switch message {
    case .addHTLC(let body) where body.extensions.records.isEmpty && isZeros(body.onion.bytes):
      .add(
        id: body.id, amountMsat: body.amountMsat, paymentHash: body.paymentHash.bytes,
        cltvExpiry: UInt64(body.cltvExpiry),
        data: body.paymentData.map { PartData(secret: $0.secret.bytes, totalMsat: $0.totalMsat) })
    case .fulfillHTLC(let body) where body.extensions.records.isEmpty:
      .fulfil(id: body.id, preimage: body.preimage.bytes)
    case .failHTLC(let body) where body.extensions.records.isEmpty:
      .fail(id: body.id, code: body.code.map { Int64($0) })
    case .failMalformedHTLC(let body) where body.extensions.records.isEmpty:
      .failMalformed(id: body.id, code: Int64(body.code))
    case .updateFee(let body) where body.extensions.records.isEmpty:
      .fee(perKiloweight: UInt64(body.feeratePerKw))
    case .commitmentSigned(let body)
    where body.extensions.records.isEmpty && isZeros(body.signature.bytes)
      && body.htlcSignatures.allSatisfy { isZeros($0.bytes) }:
      .commit(htlcSignatures: body.htlcSignatures.count, funding: body.funding?.hash.bytes)
    case .revokeAndAck(let body)
    where body.extensions.records.isEmpty && isZeros(body.nextPerCommitmentPoint.bytes):
      .revoke(secret: body.perCommitmentSecret.bytes)
    default: nil
    }
  }

  private static func isZeros(_ bytes: Bytes) -> Bool { bytes.array.allSatisfy { $0 == 0 } }
}
