/// The page in docs that says what each rule is for, and what becomes of the node under the coordination of others.
struct AblationPage {
  let rules: AblationReport
  let others: ComparisonReport

  var markdown: [String] {
    introduction + others.markdown + [
      "", "## Our rules, one by one", "",
      "Each rule is taken away from a simulated world; the machines stay as they are, and the world answers as if the rule",
      "were not there. The worlds are those above, and two more: a lock file is replaced, a connection is slow. A world is",
      "given up after 100,000 states. The story is the shortest there is. The last column is of \(rules.seeds.count) seeds of `baton sim`, ten minutes of trouble each: in how many",
      "of them a promise breaks, and how long it takes from opening the app to connected, on average and at most.",
      "",
    ] + rules.markdown
  }

  private var introduction: [String] {
    [
      "# What keeps two processes off one node", "",
      "Made by `baton ablation --markdown`, from explorations: every interleaving of a world with one payment and one opening",
      "of the app, and one kind of trouble at a time. Nothing below was written by hand, and each story is the shortest",
      "that there is.", "",
      "![what breaks, and when](coordinations.svg)", "",
      "## Ours beside others", "",
      "The same node, phone, peer and user, with another coordination between the two processes. Others have no epochs, so",
      "their peer is one for which the newest connection wins, as today's peers are. What is played is what their public",
      "sources do, reduced to what decides who runs the node ([fidelity.md](fidelity.md#other-coordinations) says how far);",
      "no product of theirs was run. “Both run the node” is told at the moment at which both have spoken of the channel; the",
      "stories in which the channel goes back, or a payment is received twice, are what can come of it.", "",
    ]
  }
}
