import SharedContainer

@Suite(.waits) struct ContainerLayoutTests {
  let place = Place()

  private func refusal(_ role: Role = .app) -> ContainerError? {
    do { _ = try place.open(role) } catch { return error as? ContainerError }
    return nil
  }

  @Test func `A new container is accessible to its user only`() throws {
    let container = try place.open(.app)
    _ = container.claim(seen: 0)
    let layout = place.layout
    for path in [layout.directory, layout.locks, layout.presence] { expect(Files.mode(path), is: 0o700) }
    for role in Role.allCases { expect(Files.mode(layout.roleLock(of: role)), is: 0o600) }
    for path in [layout.appIntent, layout.database, layout.databaseLog, layout.databaseSharedMemory] {
      expect(Files.mode(path), is: 0o600)
    }
  }

  @Test func `Both roles see the same container id; another container has another id`() throws {
    let id = try place.open(.app).id
    expect(try place.open(.extension).id, is: id)
    #expect(try Place().open(.app).id != id)
  }

  @Test func `A container's directory that other users may write is refused`() throws {
    _ = try place.open(.app)
    chmod(place.directory, 0o720)
    expect(refusal(), is: .wrongMode(path: place.directory, mode: 0o720))
    chmod(place.directory, 0o700)
    chmod(place.layout.locks, 0o702)
    expect(refusal(), is: .wrongMode(path: place.layout.locks, mode: 0o702))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
  func `A container's directory that belongs to another user is refused`() throws {
    _ = try place.open(.app)
    chown(place.directory, 4711, 4711)
    expect(refusal(), is: .wrongOwner(path: place.directory, owner: 4711, expected: 0))
  }

  @Test func `A file in place of the container's directory is refused`() {
    Files.write(place.directory, [])
    expect(refusal(), is: .notADirectory(path: place.directory))
  }

  @Test func `A symbolic link in place of the container's directory is refused, also with trailing slashes`()
    throws
  {
    _ = try SharedContainer.open(place.file("real"), role: .app)
    symlink(place.file("real"), place.directory)
    expect(refusal(), is: .symbolicLink(path: place.directory))
    #expect(throws: ContainerError.symbolicLink(path: place.directory)) {
      _ = try SharedContainer.open(place.directory + "//", role: .app)
    }
  }

  @Test func `The error for a missing parent directory names the container's path`() {
    let path = place.file("nowhere/AppGroup")
    #expect(throws: ContainerError.missing(path: path)) { _ = try SharedContainer.open(path, role: .app) }
    expect("\(ContainerError.missing(path: path))", is: "there is no \(path); check the path")
  }

  @Test func `A symbolic link in place of the database is refused`() throws {
    _ = try place.open(.app)
    rename(place.layout.database, place.file("elsewhere"))
    symlink(place.file("elsewhere"), place.layout.database)
    expect(refusal(), is: .symbolicLink(path: place.layout.database))
  }

  @Test func `A database of random bytes is reported as corrupt`() throws {
    _ = try place.open(.app)
    Files.write(place.layout.database, Array(repeating: 0x5A, count: 20_000))
    guard case .corrupt(place.layout.database, _) = refusal() else {
      Issue.record("expected damage, got \(String(describing: refusal()))")
      return
    }
  }

  @Test func `A newer schema is refused with a sentence that names both versions`() throws {
    _ = try place.open(.app)
    try Connection(path: place.layout.database, access: .readWrite).execute("PRAGMA user_version = 9")
    let error = try #require(refusal())
    expect(error, is: .schemaFromTheFuture(path: place.layout.database, found: 9, known: 2))
    expect(
      "\(error)",
      is:
        "the database \(place.layout.database) has schema 9, this program knows 2: use the version of the program that wrote it"
    )
  }

  @Test func `A container without its id is reported as corrupt`() throws {
    _ = try place.open(.app)
    try Connection(path: place.layout.database, access: .readWrite).execute("DELETE FROM meta")
    expect(refusal(), is: .corrupt(path: place.layout.database, because: "the container's id is missing"))
  }
}
