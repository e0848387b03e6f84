/// Findings of one kind, shown together: a damaged table may give thousands.
public struct FindingGroup: Hashable, Sendable {
  public private(set) var findings: [Finding]

  /// In the order of each kind's first finding, without duplicates.
  public static func all(_ findings: [Finding]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    var places: [String: Int] = [:]
    var seen: Set<Finding> = []
    for finding in findings where seen.insert(finding).inserted {
      let kind = finding.kind
      if let place = places[kind] {
        groups[place].findings.append(finding)
      } else {
        places[kind] = groups.count
        groups.append(FindingGroup(findings: [finding]))
      }
    }
    return groups
  }
}
