// TestInvoices: reads and writes invoices for another implementation, which compares. Per line one JSON object comes
// in, with a word or with fields and a key; one goes out, with the fields, the word, or an error.

import Foundation

let decoder = JSONDecoder()
let encoder = JSONEncoder()
encoder.outputFormatting = .sortedKeys
while let line = readLine() {
  let answer: InvoiceLine
  do {
    answer = try decoder.decode(InvoiceLine.self, from: Data(line.utf8)).answer()
  } catch { answer = InvoiceLine(error: "\(error)") }
  FileHandle.standardOutput.write(try encoder.encode(answer) + Data("\n".utf8))
}
