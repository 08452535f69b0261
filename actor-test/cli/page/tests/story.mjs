// Documents for the tests: stories as `cargo actor-test show TRACE --format json` prints them.

/** A story that is written down step by step. */
export class Story {
  constructor(test) {
    this.document = {
      format: "actor-test story",
      version: 1,
      actor_test: "0.1.0",
      test,
      strategy: "random",
      seed: 7,
      iteration: 3,
      token: "random@7-3-v2",
      operations: [{ name: "test", kind: "test", path: "0000000000000000" }],
      monitors: [],
      messages: [],
      timers: [],
      steps: [],
    };
  }

  actor(name, type = name) {
    const path = String(this.document.operations.length).padStart(16, "0");
    this.document.operations.push({ name, kind: "actor", type, path, creator: 0, prints: true });
    return this.document.operations.length - 1;
  }

  monitor(name, state = "Quiet", temperature = "cold") {
    this.document.monitors.push({ name, kind: "monitor", state, temperature });
    return this.document.monitors.length - 1;
  }

  timer(owner, event, delay_ns, armed) {
    this.document.timers.push({ owner, purpose: "event", event, delay_ns, armed });
    return this.document.timers.length - 1;
  }

  /** Adds a step; gives its number. */
  step(who, kind, more = {}) {
    const number = this.document.steps.length + 1;
    const time_ns = this.document.steps.at(-1)?.time_ns ?? 0;
    this.document.steps.push({ number, time_ns, who, kind, ...more });
    return number;
  }

  /** A step that sends an event; gives the message. */
  send(from, to, event, more = {}) {
    const { arrival = "arrived", ...rest } = more;
    const message = this.document.messages.length;
    const effects = [{ effect: "sent", message, arrival }];
    const sent = this.step(from, "flush", { effects, ...rest });
    const id = `m${String(message).padStart(15, "0")}`;
    this.document.messages.push({ id, event, from, to, sent });
    return message;
  }

  /** A step that handles a message. */
  handle(message, more = {}) {
    const handled = this.step(this.document.messages[message].to, "handle", { message, ...more });
    this.document.messages[message].handled = handled;
    return handled;
  }

  finding(kind, message, step = this.document.steps.length) {
    this.document.finding = { kind, message, location: null, step };
    return this.document;
  }
}

/** A bank account that is overdrawn, since both clerks read before either of them takes. */
export function bank() {
  const story = new Story("bank::tests::never_overdrawn");
  const account = story.actor("Account");
  const [anna, ben] = [story.actor("Clerk#1", "Clerk"), story.actor("Clerk#2", "Clerk")];
  const audit = story.monitor("Audit", "Even", "cold");
  story.step(0, "start");
  for (const who of [account, anna, ben]) {
    story.step(0, "flush", { effects: [{ effect: "spawned", who }] });
  }
  const orders = [anna, ben].map((clerk) => story.send(0, clerk, "PayOut { amount: 60 }"));
  const queries = [anna, ben].map((clerk, at) => {
    story.handle(orders[at], { state_before: "Idle", state_after: "Asking" });
    return story.send(clerk, account, "Balance { to: Recipient<Balanced> }");
  });
  const fields = [{ field: "balance", after: "100" }, { field: "log", after: "[]" }];
  const answers = [anna, ben].map((clerk, at) => {
    story.handle(queries[at], at === 0 ? { changes: fields } : {});
    return story.send(account, clerk, "Balanced(100)");
  });
  const takes = [anna, ben].map((clerk, at) => {
    story.handle(answers[at], { state_before: "Asking", state_after: "Paying" });
    return story.send(clerk, account, "Withdraw { amount: 60, reason: \"pay out at the counter\" }", {
      monitors: [{ monitor: audit, before: "Even", after: "Owing", temperature: "hot" }],
    });
  });
  story.handle(takes[0], {
    changes: [
      { field: "balance", before: "100", after: "40" },
      { field: "log", before: "[]", after: "[Withdraw { amount: 60, reason: \"pay out at the counter\" }]" },
    ],
    effects: [{ effect: "logged", level: "INFO", target: "bank", text: "paid out 60" }],
  });
  const bug = story.handle(takes[1], {
    changes: [{ field: "balance", before: "40", after: "-20" }],
  });
  const { document } = story;
  document.looked_at = [{ who: account, value: "Account { balance: -20, log: [..] }" }];
  document.causes = {
    decided: {
      is: "mostly",
      at: { step: 17, actor: "Clerk#2", what: "handles Balanced(100) from Account" },
      before: { step: 16, failed: 9, escaped: 31, of: 40 },
      after: { step: 17, failed: 40, escaped: 0, of: 40 },
    },
    curve: [
      { step: 0, failed: 3, escaped: 37, of: 40 },
      { step: 10, failed: 6, escaped: 34, of: 40 },
      { step: 16, failed: 9, escaped: 31, of: 40 },
      { step: 17, failed: 40, escaped: 0, of: 40 },
    ],
    races: {
      needed: [
        {
          first: { step: 10, event: "Balance { to: Recipient<Balanced> }", from: "Clerk#2" },
          second: { step: 16, event: "Withdraw { amount: 60 }", from: "Clerk#1" },
          at: "Account",
          reversed: 12,
          kept: 12,
          kept_failed: 10,
        },
      ],
      pairs: 3,
      turned: 3,
    },
    steps: 4000,
  };
  return story.finding("invariant", "always \"in credit\" is false", bug);
}

/** The same, where that parts from the failing one only behind what is told of it. */
export function bankParted() {
  const document = bankCompared();
  document.causes.nearest.shared = 90;
  return document;
}

/** The same, with the nearest run that passes: the first clerk is done before the second reads. */
export function bankCompared() {
  const document = bank();
  const { operations, monitors, timers, messages, steps } = structuredClone(document);
  const passing = { operations, monitors, timers, messages, steps };
  const order = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16, 19, 9, 10, 13, 14, 17, 18, 20];
  passing.steps = order.map((old, at) => ({ ...steps[old - 1], number: at + 1 }));
  for (const message of messages) {
    message.sent = order.indexOf(message.sent) + 1;
    message.handled = order.indexOf(message.handled) + 1;
  }
  passing.steps.at(-1).changes = [{ field: "refused", after: "1" }];
  passing.steps.push({ number: 21, time_ns: 0, who: 1, kind: "flush", effects: [{ effect: "announced", event: "Refused" }] });
  document.causes.nearest = {
    shared: 8,
    instead: { step: 9, actor: "Account", what: "handles Balance from Clerk#1" },
    then: [{ step: 9, actor: "Account", what: "handles Balance from Clerk#1" }],
    steps: 21,
    decisions: [],
    checks: [],
    story: passing,
  };
  return document;
}

/** One of each: a question and its reply, a timer, what is deferred, ignored, dropped, a fault, a stop. */
export function signs() {
  const story = new Story("signs::tests::all");
  const [server, client] = [story.actor("Server"), story.actor("Client")];
  story.step(0, "start");
  for (const who of [server, client]) story.step(0, "flush", { effects: [{ effect: "spawned", who }] });
  const timer = story.timer(client, "Tick", 5_000_000, 4);
  story.step(client, "start", { effects: [{ effect: "armed", timer }, { effect: "awaits" }] });
  const question = story.send(client, server, "HowMany");
  story.handle(question);
  const reply = { effect: "replied", to: client, asked: question, reply: "Ok(7)" };
  story.step(server, "flush", { effects: [reply] });
  story.step(client, "resume");
  const tick = story.document.messages.length;
  const fired = { effect: "sent", message: tick, arrival: "arrived" };
  const sent = story.step(client, "timer", { timer, time_ns: 5_000_000, effects: [fired] });
  story.document.messages.push({ id: "tick", event: "Tick", to: client, sent });
  story.handle(tick, { ignored: true });
  story.send(client, server, "Later(1)", { arrival: "deferred" });
  story.step(0, "fault");
  story.step(server, "stop", { effects: [{ effect: "halted", who: server, reason: "Stopped", unread: 1 }] });
  story.send(client, server, "TooLate", { arrival: "dead" });
  return story.finding("deadlock", "nobody is left");
}

/** Disks, links between nodes, what is shared, and names. */
export function world() {
  const story = new Story("world::tests::all");
  const [store, link] = [story.actor("n1/Store"), story.actor("n1->n2")];
  const does = (who, kind, ...effects) => story.step(who, kind, { effects });
  story.step(0, "start");
  does(store, "flush", { effect: "disk", call: "write", path: "log", bytes: 3 });
  does(store, "flush", { effect: "disk", call: "sync", path: "log", error: "I/O error" });
  does(store, "flush", { effect: "disk", call: "rename", path: "new", to: "log" });
  const lost = { effect: "lost", call: "write", path: "log", at: 0, bytes: 3 };
  does(0, "fault", { effect: "fault", fault: "crash", node: "n1" }, { effect: "power_failed" }, lost);
  does(0, "fault", { ...lost, parts: [1, 2] });
  does(link, "deliver", { effect: "reply_arrived", to: store });
  does(0, "access", { effect: "accessed", what: "locks", object: "Mutex (a.rs:1:2)", place: "a.rs:3:4" });
  const notifies = { effect: "accessed", what: "notifies one at", object: "Condvar (a.rs:1:2)", place: "a.rs:4:4" };
  const one = { effect: "chose", asked: "woken", of: 2, answer: 1 };
  does(0, "access", notifies, one, { effect: "woke", whom: [store] });
  does(0, "access", notifies, { effect: "woke" });
  does(0, "resume", { effect: "over" });
  const uses = (how, more) => does(0, "flush", { effect: "name_used", how, name: "store", ...more });
  uses("registers", { holder: store });
  uses("registers", { error: "n1/Store has it" });
  uses("unregisters", { holder: store });
  uses("looks_up", { holder: store });
  uses("looks_up", { error: "nobody has it" });
  story.send(0, store, "Put(7)", { arrival: "unclaimed" });
  return story.finding("panic", "what was safe is lost");
}

/** A node that crashes after it has answered, and before it has told the other one. */
export function crashed() {
  const story = new Story("crashed::tests::nothing_is_lost");
  const [first, second] = [story.actor("n1/Store"), story.actor("n2/Store")];
  story.step(0, "start");
  for (const who of [first, second]) {
    story.step(0, "flush", { effects: [{ effect: "spawned", who }] });
  }
  const set = (before, after) => ({ changes: [{ field: "value", before, after }] });
  story.step(first, "start", set("0", "1"));
  const [put, again] = ["Put(7)", "Put(8)", "Put(9)"].map((event) => story.send(0, first, event));
  story.handle(put, set("1", "7"));
  story.send(first, second, "Copy(7)");
  story.handle(again, set("7", "8"));
  story.step(first, "flush", { effects: [{ effect: "replied", to: 0, asked: again, reply: "Stored(8)" }] });
  const halted = { effect: "halted", who: first, reason: "Stopped", unread: 1 };
  story.step(0, "fault", { effects: [{ effect: "fault", fault: "crash", node: "n1" }, halted] });
  return story.finding("panic", "what was stored is lost");
}

/** The node n1 crashes and restarts while n2 goes on; a link between them does its work undisturbed. */
export function restarted() {
  const story = new Story("restarted::tests::is_known");
  const { operations } = story.document;
  const boot = (name) => {
    const who = story.actor(`${name}/boot`);
    operations[who] = { name: `${name}/boot`, kind: "boot", path: operations[who].path, creator: 0 };
    return who;
  };
  const spawns = (who, child) => story.step(who, "flush", { effects: [{ effect: "spawned", who: child }] });
  const fault = (fault, ...more) => story.step(0, "fault", { effects: [{ effect: "fault", fault, node: "n1" }, ...more] });
  const halted = (who) => ({ effect: "halted", who, reason: "Disconnected", unread: 0 });
  const [boot1, boot2] = ["n1", "n2"].map(boot);
  const client = story.actor("Client");
  const link = story.actor("n1->n2");
  operations[link] = { name: "n1->n2", kind: "link", path: operations[link].path };
  const name = story.actor("n1/Store");
  operations[name] = { name: "n1/Store", kind: "name", path: operations[name].path };
  const [store1, store2] = [story.actor("n1/Store"), story.actor("n2/Store")];
  story.step(0, "start");
  for (const who of [boot1, boot2, client]) spawns(0, who);
  story.step(boot1, "start");
  spawns(boot1, store1);
  story.step(boot2, "start");
  spawns(boot2, store2);
  story.handle(story.send(client, store1, "Put(7)"), { changes: [{ field: "value", before: "0", after: "7" }] });
  story.step(link, "deliver");
  fault("crash", halted(store1));
  story.send(client, name, "Get", { arrival: "dead" });
  const boot3 = boot("n1(2)");
  const store3 = story.actor("n1(2)/Store");
  fault("restart");
  story.step(boot3, "start");
  spawns(boot3, store3);
  story.handle(story.send(client, store3, "Get"));
  return story.finding("panic", "what was stored is lost");
}

/** Actors that hand a token round, with timers, for so many steps. */
export function ring(steps, actors = 8) {
  const story = new Story("ring::tests::goes_round");
  const members = Array.from({ length: actors }, (_, at) => story.actor(`Member#${at + 1}`, "Member"));
  const monitor = story.monitor("Round", "Quiet", "cold");
  story.step(0, "start");
  members.forEach((who) => story.step(0, "flush", { effects: [{ effect: "spawned", who }] }));
  let message = story.send(0, members[0], "Token { hops: 0 }");
  for (let hop = 1; story.document.steps.length < steps - 1; hop++) {
    const at = story.document.messages[message].to;
    const hot = hop % 50 < 25;
    const moved = hop % 25 === 0;
    story.handle(message, {
      time_ns: hop * 1_000_000,
      changes: [{ field: "hops", before: String(hop - 1), after: String(hop) }],
      ...(moved && {
        monitors: [
          {
            monitor,
            before: hot ? "Quiet" : "Owing",
            after: hot ? "Owing" : "Quiet",
            temperature: hot ? "hot" : "cold",
          },
        ],
      }),
    });
    message = story.send(at, members[hop % actors], `Token { hops: ${hop} }`, { time_ns: hop * 1_000_000 });
  }
  return story.finding("liveness", "the token never comes home");
}

/** A server awaits an answer: the question is unread, and who would answer has done nothing. */
export function pending() {
  const story = new Story("owing::tests::is_answered");
  const [server, idle] = [story.actor("Server"), story.actor("Idle")];
  const monitor = story.monitor("Answered", "Quiet", "cold");
  story.step(0, "start");
  for (const who of [server, idle]) {
    story.step(0, "flush", { effects: [{ effect: "spawned", who }] });
  }
  const hot = { monitor, before: "Quiet", after: "Owing", temperature: "hot" };
  story.send(0, server, "Work", { monitors: [hot] });
  story.step(server, "flush", { effects: [{ effect: "announced", event: "Busy" }] });
  return story.finding("liveness", "monitor `Answered` is hot in `Owing`");
}
