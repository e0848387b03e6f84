// Fuzz: every parser of the project under libFuzzer, in one program. Run it with `scripts/fuzz`.

import DaemonRuntime
import Glibc

enum FuzzTargets {
  /// Every parser of external input.
  static var all: [any FuzzTarget.Type] {
    [
      AddressFileFuzz.self, AddressFuzz.self, TransactionFuzz.self,
      BackgroundMessageFuzz.self,
      BeatSlotFuzz.self, CategoryListFuzz.self,
      ChannelRecordFuzz.self,
      CommandLineFuzz.self,
      ControlMessageFuzz.self, ConversationFuzz.self, DeviceFileFuzz.self, ForwardingHintFuzz.self,
      SecureChannelFuzz.self,
      HexadecimalFuzz.self, HintQuestionFuzz.self,
      HostAndPortFuzz.self,
      InvoiceFuzz.self, JournalReplayFuzz.self, JournalStoryFuzz.self, JSONFuzz.self,
      JudgeJournalFuzz.self, JudgeRowsFuzz.self, KernelLocksFuzz.self, KeychainFuzz.self, LedgerRowsFuzz.self,
      LightningMessageFuzz.self, MemoryStatusFuzz.self, NodeBackupFuzz.self,
      PhoneClockFuzz.self,
      PhoneRowsFuzz.self, PresenceMessageFuzz.self, ProcessFactsFuzz.self, ProcessStatFuzz.self,
      PushPayloadFuzz.self, ScenarioFuzz.self, SealedPushFuzz.self, SeedResultFuzz.self,
      ServeRequestFuzz.self, ServiceMessageFuzz.self, SpanTextFuzz.self,
      UnixPathFuzz.self,
      WalletRowsFuzz.self,
    ]
  }

  nonisolated(unsafe) fileprivate static var driven: (any FuzzTarget.Type) = ControlMessageFuzz.self

  /// The arguments are libFuzzer's, which also starts this program again with its own, so the parser's name comes
  /// from the environment. Without one, all names are listed.
  fileprivate static func choose() {
    if let directory = getenv("BATON_FUZZ_SEEDS") { writeSeeds(String(cString: directory)) }
    let name = getenv("BATON_FUZZ_TARGET").map { String(cString: $0) }
    guard let target = all.first(where: { $0.name == name }) else {
      for target in all { print(target.name, target.longestInput) }
      exit(name == nil ? 0 : 64)
    }
    driven = target
  }

  /// Writes the seed inputs, one directory for each parser.
  private static func writeSeeds(_ directory: String) -> Never {
    for target in all {
      mkdir("\(directory)/\(target.name)", 0o755)
      for (number, seed) in target.seeds.enumerated() {
        let file = open(
          "\(directory)/\(target.name)/seed-\(number)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0, writeAll(file, seed) else { exit(74) }
        close(file)
      }
    }
    exit(0)
  }
}

@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutablePointer<CInt>?, _ words: UnsafeMutableRawPointer?) -> CInt {
  FuzzTargets.choose()
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  FuzzTargets.driven.feed(Array(UnsafeBufferPointer(start: data, count: size)))
  return 0
}
