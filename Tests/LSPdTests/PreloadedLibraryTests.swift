/// A library that is loaded before the program, as libfaketime is, may change the environment before Swift's runtime
/// looks for the arguments beside it.
@Suite("A preloaded library", .waits) struct PreloadedLibraryTests {
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    #include <stdlib.h>
    FILE *fopen(const char *path, const char *mode) {
      setenv("BATON_MOVED", "1", 1);
      return ((FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen"))(path, mode);
    }
    """

  @Test func `lspd finds its arguments, and starts nothing for --help, when the environment has moved`()
    throws
  {
    let directory = NSTemporaryDirectory() + "/baton-preload-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try Self.source.write(toFile: "\(directory)/moved.c", atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-o", "\(directory)/moved.so", "\(directory)/moved.c"]
    try compiler.start()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    let library = "\(directory)/moved.so"
    expect(try ProviderProcess.exitCode(["--help"], preloading: library), is: 0)
    expect(try ProviderProcess.exitCode(["--no-such-option"], preloading: library), is: 64)
  }
}
