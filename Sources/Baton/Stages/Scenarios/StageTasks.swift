import PhonePolicy

/// The background tasks of a simulated phone; on a real phone iosd's rows have them.
struct StageTasks {
  private struct Row {
    var number: UInt64
    var identifier: String
    var fate: TaskRecord.Fate
    var hasRun = false

    var scene: Scene.Task { ScenarioWords.task(identifier, state: fate.state, why: fate.why) }
  }

  private var rows: [Row] = []

  mutating func note(_ record: TaskRecord) {
    let index =
      rows.firstIndex { $0.number == record.number }
      ?? {
        rows.append(Row(number: record.number, identifier: record.request.identifier, fate: record.fate))
        return rows.count - 1
      }()
    rows[index].fate = record.fate
    if case .runs = record.fate { rows[index].hasRun = true }
  }

  /// For each identifier the newest task that ran, else the newest.
  var newest: [Scene.Task] {
    var names: [String] = []
    for row in rows where !names.contains(row.identifier) { names.append(row.identifier) }
    return names.compactMap { name in
      let own = rows.filter { $0.identifier == name }
      return (own.last(where: \.hasRun) ?? own.last)?.scene
    }
  }

  var waiting: [Scene.Task] {
    rows.filter { if case .waits = $0.fate { true } else { false } }.map(\.scene)
  }
}
