/// docs/ablation.md: what each rule prevents, and what breaks under others' coordination.
struct AblationPage {
  let rules: AblationReport
  let others: ComparisonReport
  let incidents: [Showing]

  var markdown: [String] {
    [
      "# What keeps two processes off one node", "",
      "The tables are made by `baton ablation --markdown`. It explores every interleaving of one payment, one opening of the",
      "app and one kind of fault, up to 100,000 states (in the first table up to 2,000,000 for Baton). `baton ablation` without",
      "`--markdown` prints a shortest story of each violation.", "",
      "## Baton and others' coordination", "",
      "The node, the phone, the peer and the user are the same; only the coordination of the two processes differs. The others",
      "have no epochs, so their peer keeps the newest connection, as today's peers do. The models follow the public sources",
      "([fidelity](fidelity.md#other-coordinations)). No other product was run. “Both run the node” means that both processes",
      "have sent `channel_reestablish` and neither was asked to stop. “The app waits” means that the app is in front and no",
      "process has run the node for 3 s. matrix-rust-sdk is no wallet: its lock protects a key store.", "",
      "![what breaks, and when](coordinations.svg)", "",
    ] + others.markdown + [
      "", "## The museum", "",
      "Published incidents, each in the smallest world that shows it. `baton museum NAME` prints what happened and the shortest",
      "story.", "",
    ] + MuseumReport.markdown(incidents) + [
      "", "## Baton's rules, one by one", "",
      "Each rule is removed from the simulated world, without a change of the state machines. [guardrails.md](guardrails.md)",
      "explains the terms. Two worlds are added to those above: a lock file is replaced, a connection is slow. The last column",
      "comes from \(rules.seeds.count) seeds of `baton sim`, ten minutes with faults each: how many seeds break an invariant, and the time from",
      "opening the app to its connection, on average and at most.", "",
    ] + rules.markdown
  }
}
