package io.lampone.cli.shell;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Everything that the shell can do. */
final class ShellVerbs {

  private ShellVerbs() {}

  /** All commands by name, in the order of the help text. */
  static Map<String, Verb> all() {
    List<Verb> verbs = new ArrayList<>();
    verbs.addAll(TransactionVerbs.list());
    verbs.addAll(DataVerbs.list());
    verbs.addAll(TableVerbs.list());
    verbs.add(
        new Verb(
            "help", "help [COMMAND]", "Shows all commands, or one of them.", ShellVerbs::help));
    verbs.add(
        new Verb(
            "exit",
            "exit",
            "Leaves the shell; an open transaction is rolled back.",
            ShellVerbs::exit));
    Map<String, Verb> byName = new LinkedHashMap<>();
    verbs.forEach(verb -> byName.put(verb.name(), verb));
    byName.put("quit", byName.get("exit"));
    return Collections.unmodifiableMap(byName);
  }

  private static void help(ShellSession session, Arguments arguments) {
    var name = arguments.optionalWord("the command");
    arguments.end();
    if (name.isPresent()) {
      Verb verb = session.verb(name.get().toUtf8());
      session.output().lines(List.of(verb.usage(), "  " + verb.help()));
      return;
    }
    for (Verb verb : session.verbs()) {
      session.output().columns(" " + verb.name(), verb.usage());
    }
    session
        .output()
        .lines(
            List.of(
                "",
                "Commas and quotes may be left out where no blank is in the word. \"...\" and bare",
                "words know \\xNN for any byte; '...' takes everything as it is.",
                "Outside a transaction every command is a transaction of its own."));
  }

  private static void exit(ShellSession session, Arguments arguments) {
    arguments.end();
    session.finish();
  }
}
