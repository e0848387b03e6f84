// TestHomes DIR PAYMENTS: writes the home of a phone that received that many payments, for the judge.
import Foundation

guard CommandLine.arguments.count == 3, let payments = Int(CommandLine.arguments[2]), payments > 0 else {
  FileHandle.standardError.write(
    Data("TestHomes: give a directory that is not there yet and a number of payments\n".utf8))
  exit(64)
}
_ = try LargeRun.tell(payments: payments, home: CommandLine.arguments[1])
