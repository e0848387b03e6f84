// Opens a database as a running daemon does, prints "open", and keeps it open until standard input ends: the kernel
// reports locks by process, so a test of a live database needs another process.

import Platform
import Glibc

let connection = try Connection(path: CommandLine.arguments[1], access: .readWrite)
_ = try connection.firstRow("SELECT count(*) FROM sqlite_schema")
print("open")
fflush(nil)
while getchar() != EOF {}
