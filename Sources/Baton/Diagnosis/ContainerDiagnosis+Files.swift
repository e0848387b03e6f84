import Ground

/// Heartbeat, rights and names.
extension ContainerDiagnosis {
  var beats: [Finding] {
    let highest = facts.owner?.epoch ?? 0
    let found = facts.beats.flatMap { beat -> [Finding] in
      if beat.epoch > highest { return [newer(beat, highest)] }
      guard beat.epoch < highest, beat.isAliveHere, !beat.holdsLock, !beat.isReleased,
        let age = beat.age, age < HolderVerdict.staleAfter
      else { return [] }
      return [
        Finding(
          .beatWithoutLock,
          "\(beat.name) beats under epoch \(beat.epoch) without holding its lock, and epoch \(highest) holds the node",
          remedy: "quit that process and start it; its writes are refused until then")
      ]
    }
    // The first holder creates the file with its first beat, before any write; it may have died before that.
    if !facts.hasHeartbeat && (highest > 1 || facts.lastWrite != nil) {
      return [
        Finding(
          .heartbeatMissing,
          "\(facts.directory)/heartbeat is missing, so nothing here shows whether a holder beats or has released the node",
          remedy: facts.isInUse
            ? "the next beat creates it again"
            : "open the app, which creates it again, or copy the whole directory")
      ]
    }
    if facts.damagedBeats.isEmpty { return found }
    return found + [
      Finding(
        .heartbeatDamaged,
        "\(facts.directory)/heartbeat is damaged: the slot of \(facts.damagedBeats.joined(separator: " and ")) has no valid beat, or the file is truncated",
        remedy: "open the app: the next beat of each process rewrites its slot")
    ]
  }

  private func newer(_ beat: ContainerFacts.BeatMark, _ highest: Epoch) -> Finding {
    Finding(
      .beatAboveClaims,
      "the heartbeat of \(beat.name) carries epoch \(beat.epoch), above the highest claim \(highest): an older copy of the database was restored, or its write-ahead log (-wal) was removed",
      remedy: "open the app, which fetches the newer state from the peer's backup")
  }

  var files: [Finding] { facts.files.compactMap(\.finding) }
}

extension FileMark {
  /// What is wrong with a file of a container. Baton's own files must be plain, of this user, and closed to writers: the
  /// code that opens them says so.
  package var finding: Finding? {
    // No process of the wallet opens a name that it does not know, whatever is there.
    if !isKnown {
      let words =
        switch kind {
        case .link: "a symbolic link and "
        case .other: "a pipe or a device and "
        default: ""
        }
      let owner = isOurs ? "" : ", and belongs to another user"
      return Finding(
        .foreignFile, "\(path) is \(words)not a file of Baton\(owner)",
        remedy: "nothing to do if your own code wrote it")
    }
    // A socket is as open as its directory.
    guard isOurs, kind == .plain || kind == .directory, permissions & 0o022 == 0, permissions & 0o077 != 0
    else {
      return nil
    }
    return Finding(
      .readableByOthers, "\(path) can be read by others (mode \(String(permissions, radix: 8)))",
      remedy: "run chmod go-rwx on it", fix: .narrow(path: path, mode: permissions & ~0o077))
  }
}
