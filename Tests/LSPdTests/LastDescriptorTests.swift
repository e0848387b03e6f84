import Baton

/// An lspd that has as many files open as it may.
@Suite("The last free descriptor of lspd", .serialized, .waits) struct LastDescriptorTests {
  private func isOpen(_ client: RawHTTP) -> Bool {
    var byte: UInt8 = 0
    return recv(client.descriptor, &byte, 1, Int32(MSG_DONTWAIT)) < 0 && errno == EAGAIN
  }

  @Test func `A client that takes it costs no other client its connection; one that finds none does`() throws
  {
    let provider = try ProviderProcess()
    let port = try #require(provider.address).place.port
    // Asking needs a descriptor too.
    let control = try provider.client()
    _ = try control.request(ControlMessage("status"))
    try provider.limitDescriptors(leaving: 2)
    let clients = try (0..<provider.freeDescriptors()).map { _ in try RawHTTP(port: port) }
    #expect(try provider.eventually { try provider.freeDescriptors() == 0 })
    for _ in 0..<3 { _ = try control.request(ControlMessage("status")) }
    #expect(clients.allSatisfy(isOpen))
    let third = try RawHTTP(port: port)
    #expect(try provider.eventually { !isOpen(clients[0]) })
    for _ in 0..<3 { _ = try control.request(ControlMessage("status")) }
    #expect(clients.dropFirst().allSatisfy(isOpen) && isOpen(third))
  }
}
