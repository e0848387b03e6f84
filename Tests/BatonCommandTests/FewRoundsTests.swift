@Suite("baton soak with few rounds", .waits) struct FewRoundsTests {
  private let scratch = TemporaryDirectory()

  @Test(.shows("L-C.5")) func `Memory that the first rounds allocate and keep is not reported as a leak`()
    throws
  {
    let words =
      ["soak", "--rounds", "2", "--warm-up", "0"]
      + (CommandPhone.isSanitized ? ["--build", "debug"] : [])
    let end = try scratch.start("baton", words).end()
    expect(end, is: .exited(code: 0), "\(scratch.text("said"))")
    #expect(scratch.text("said").hasSuffix("the judge: sound\nnothing leaked\n"))
  }
}
