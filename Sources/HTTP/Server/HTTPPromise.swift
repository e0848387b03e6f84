/// An answer that takes its time: meanwhile its connection waits, and all others go on.
public final class HTTPPromise {
  private(set) var response: HTTPResponse?
  var onKept: () -> Void = {}

  public init() {}

  /// A second answer is ignored.
  public func keep(_ response: HTTPResponse) {
    guard self.response == nil else { return }
    self.response = response
    onKept()
  }
}
