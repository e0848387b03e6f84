import TestKit

@Suite struct ExpectTests {
  @Test func `Two values that differ are an issue that shows both`() {
    withKnownIssue {
      expect([1], is: [2], "the sums")
    } matching: {
      $0.comments.map(\.rawValue) == ["[1] is not [2]: the sums"]
    }
  }
}
