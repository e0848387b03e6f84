import CLinux
import DaemonRuntime
import Glibc
import Platform

/// Accepts every connection at that path until standard input ends, prints each message's verb, and answers with
/// noise.
func listen(at path: String) {
  let listener = baton_seqpacket_socket()
  guard listener >= 0, Kernel.withUnixAddress(path, { bind(listener, $0, $1) }) == 0, chmod(path, 0o666) == 0,
    Glibc.listen(listener, 16) == 0
  else { exitWithSentence(.inputOutputError, SystemError("listen on \(path)").description) }
  printLine("ready")
  var clients: [Int32] = []
  while true {
    var waiting = ([standardInput, listener] + clients).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    poll(&waiting, nfds_t(waiting.count), -1)
    if waiting[0].revents != 0 { return }
    for client in waiting.dropFirst(2) where client.revents != 0 { receive(client.fd, &clients) }
    if waiting[1].revents != 0, case let client = baton_accept(listener), client >= 0 {
      clients.append(client)
    }
  }
}

private func receive(_ client: Int32, _ clients: inout [Int32]) {
  var buffer = [UInt8](repeating: 0, count: 4096)
  let count = recv(client, &buffer, buffer.count, 0)
  guard count > 0 else {
    close(client)
    clients.removeAll { $0 == client }
    return
  }
  let message = try? ControlMessage(decoding: Array(buffer[..<count]))
  printLine("heard \(message?.verb ?? "noise")")
  let answer = Array("no message of any phone".utf8)
  send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
}
