import Ground

/// Connections at the peer, and the messages on them. The wallet's journal does not know the peer's number of its
/// connection, so the two sides are joined by the epoch that the connection names.
struct WireArrows: Sendable {
  private struct Passed: Sendable {
    var type: UInt16
    var at: TimelineAnchor
  }

  private struct Dial: Sendable {
    var who: TimelineWho
    var epoch: Epoch
    var at: TimelineAnchor
    var sent: [Passed] = []
    var received: [Passed] = []
  }

  private struct DrawnConnection: Sendable {
    var span: Int
    var row: Int
    var opened: TimelineAnchor
    var epoch: Epoch?
    var received: [Passed] = []
    var sent: [Passed] = []
  }

  private var epochs: [TimelineWho: Epoch] = [:]
  private var dials: [Dial] = []
  private var current: [TimelineWho: Int] = [:]
  private var connections: [DrawnConnection] = []
  private var numbers: [UInt64: Int] = [:]

  /// Which epoch a process dials under.
  mutating func note(_ fact: TimelineFact, by who: TimelineWho) {
    if case .claimed(let epoch, _) = fact { epochs[who] = epoch }
  }

  mutating func take(_ fact: TimelineFact, by who: TimelineWho, _ sheet: inout Sheet) {
    switch fact {
    case .dialled:
      dials.append(Dial(who: who, epoch: epochs[who] ?? 0, at: sheet.here))
      current[who] = dials.count - 1
    case .sent(let types):
      guard let dial = current[who] else { return }
      dials[dial].sent += types.map { Passed(type: $0, at: sheet.here) }
    case .received(let type):
      guard let dial = current[who] else { return }
      dials[dial].received.append(Passed(type: type, at: sheet.here))
    case .connectionOpened(let id):
      let row = sheet.takeRow(of: who)
      let span = sheet.begin(.connection, in: who, row: row, "connection \(id)")
      connections.append(DrawnConnection(span: span, row: row, opened: sheet.here))
      numbers[id] = connections.count - 1
      sheet.anchor("ledger connections \(id)")
    case .connectionJudged(let id, let epoch, let isAccepted, let words):
      guard let place = numbers[id] else { return }
      if let epoch {
        connections[place].epoch = epoch
        sheet.setEpoch(epoch, of: connections[place].span)
      }
      if !isAccepted { sheet.mark(.refused, in: who, "connection \(id): \(words)") }
    case .connectionClosed(let id, let why):
      guard let place = numbers.removeValue(forKey: id) else { return }
      sheet.end(connections[place].span, adding: ": \(why)")
      sheet.freeRow(connections[place].row, of: who)
    case .peerReceived(let id, let type):
      guard let place = numbers[id] else { return }
      connections[place].received.append(Passed(type: type, at: sheet.here))
    case .peerSent(let id, let type):
      guard let place = numbers[id] else { return }
      connections[place].sent.append(Passed(type: type, at: sheet.here))
    default: break
    }
  }

  mutating func finish(_ sheet: inout Sheet) {
    for connection in connections {
      guard let epoch = connection.epoch,
        let dial = dials.last(where: { $0.epoch == epoch && $0.at.at <= connection.opened.at })
      else { continue }
      join(dial.sent, from: dial.who, connection.received, to: .peer, &sheet)
      join(connection.sent, from: .peer, dial.received, to: dial.who, &sheet)
    }
  }

  /// Both lists are in the connection's order; what is missing in one of them has no arrow.
  private func join(
    _ sent: [Passed], from: TimelineWho, _ received: [Passed], to: TimelineWho, _ sheet: inout Sheet
  ) {
    var next = 0
    for message in received {
      guard
        let place = sent[next...].firstIndex(where: { $0.type == message.type && $0.at.at <= message.at.at })
      else { continue }
      next = place + 1
      let span = TimeText.span(message.at.at - sent[place].at.at)
      sheet.draw(
        .wire, from: TimelineEnd(who: from, at: sent[place].at), to: to,
        "\(MessageWords.name(of: message.type)), \(span)", message.at)
    }
  }
}
