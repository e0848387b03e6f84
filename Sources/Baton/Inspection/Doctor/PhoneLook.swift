import PhoneClient
import Diagnosis
import DaemonRuntime
import Judge
import Reports

/// Gathers the facts of a phone: its home, its daemons, its secrets. Nothing is written.
struct PhoneLook {
  let notes: [PhoneNote]
  /// The peer's highest epoch.
  let peerEpoch: UInt64?

  init(_ phone: Phone) {
    var notes: [PhoneNote] = []
    do throws(SystemError) { try OwnHome.check(phone.home, OwnHome.system) } catch {
      notes.append(.openHome(error.description))
    }
    notes += Self.secretFiles(of: phone).compactMap { path in
      guard let mark = ContainerFiles.mark(path, isKnown: true), mark.kind == .plain,
        mark.permissions & 0o077 != 0
      else { return nil }
      return .openSecret(mark)
    }
    let iosd = DaemonAnswer<PhoneFacts>(to: ControlMessage("status"), from: .iosd, of: phone)
    let lspd = DaemonAnswer<PeerFacts>(to: ControlMessage("status"), from: .lspd, of: phone)
    notes += Self.note(iosd, .iosd, phone) + Self.note(lspd, .lspd, phone)
    for spot in iosd.facts?.blindSpots ?? [] { notes.append(.blindSpot(spot)) }
    if let why = iosd.facts?.limits.noGroupBecause { notes.append(.memoryBySamples(why)) }
    self.notes = notes
    peerEpoch = lspd.facts?.epoch
  }

  private static func secretFiles(of phone: Phone) -> [String] {
    let items = phone.keychain + "/items"
    return ["\(phone.os)/keychain.key", "\(phone.keychain)/wallet-seed", "\(phone.lsp)/node-key"]
      + (DirectoryListing.names(of: items) ?? []).map { "\(items)/\($0)" }
  }

  private static func note<Facts>(
    _ answer: DaemonAnswer<Facts>, _ daemon: Daemon, _ phone: Phone
  ) -> [PhoneNote] {
    guard case .silent(let sentence) = answer else { return [] }
    let pid = DaemonProbe.pid(listeningOn: phone.socket(of: daemon))
    let isStopped = pid.map { ProcessTable.isStopped($0) } ?? false
    return [isStopped ? .stopped(daemon.rawValue, sentence) : .silent(daemon.rawValue, sentence)]
  }
}

/// Looks for keys in the clear in a container, and in the journals and outputs of its phone.
struct SecretLook {
  /// Of each file, unless all is read.
  private static let bytesMax: Int64 = 4 << 20

  let marks: [SecretMark]
  /// Files of which only the beginning was read.
  let cut: Int

  init(_ place: ContainerPlace, all: Bool) {
    let search = KeySearch(home: place.hasHome ? place.phone.home : nil)
    let homes = place.hasHome ? [place.phone.journal, place.phone.os + "/output"] : []
    let logs = place.hasHome ? Daemon.allCases.map { place.phone.log(of: $0) } : []
    let files =
      ContainerFiles.marks(in: place.directory).filter { $0.kind == .plain }.map(\.path)
      + homes.flatMap { home in (DirectoryListing.names(of: home) ?? []).map { "\(home)/\($0)" } } + logs
    marks = files.compactMap { path in
      search.first(in: path, bytesMax: all ? .max : Self.bytesMax).map {
        SecretMark(path: path, what: $0.what, offset: $0.offset)
      }
    }
    cut = all ? 0 : files.count { FilePath.size(of: $0) > Self.bytesMax }
  }
}
