package io.lampone.cli.shell;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Registry of the shell's commands. */
final class ShellVerbs {

  private ShellVerbs() {}

  /** Returns all commands by heading, in the order of the help text. */
  static Map<String, List<Verb>> groups() {
    Map<String, List<Verb>> groups = new LinkedHashMap<>();
    groups.put("Rows", DataVerbs.list());
    groups.put("Transactions", TransactionVerbs.list());
    groups.put("Tables", TableVerbs.list());
    groups.put(
        "Shell",
        List.of(
            new Verb(
                "timing",
                "timing on|off",
                "Shows the duration of each statement, or not.",
                "timing on",
                ShellVerbs::timing),
            new Verb(
                "help",
                "help [COMMAND]",
                "Shows all commands, or one of them with an example.",
                "help scan",
                ShellVerbs::help),
            new Verb(
                "exit",
                "exit",
                "Leaves the shell. An open transaction is rolled back.",
                "exit",
                ShellVerbs::exit)));
    return groups;
  }

  /** Returns all commands by name, in the order of the help text. */
  static Map<String, Verb> all() {
    Map<String, Verb> byName = new LinkedHashMap<>();
    groups().values().stream()
        .flatMap(Collection::stream)
        .forEach(verb -> byName.put(verb.name(), verb));
    byName.put("quit", byName.get("exit"));
    return Collections.unmodifiableMap(byName);
  }

  private static void help(ShellSession session, Arguments arguments) {
    var name = arguments.optionalWord("the command");
    arguments.end();
    ShellOutput output = session.output();
    if (name.isPresent()) {
      Verb verb = session.verb(name.get().toUtf8());
      output.lines(List.of(verb.usage(), "  " + verb.help(), "  Example: " + verb.example()));
      return;
    }
    groups()
        .forEach(
            (heading, verbs) -> {
              output.line(heading + ":");
              verbs.forEach(verb -> output.columns("  " + verb.name(), verb.summary()));
            });
    output.lines(
        List.of(
            "",
            "'help COMMAND' shows how to write one. Commas and quotes may be left out where no blank",
            "is in the word. \"...\" and bare words know \\xNN for any byte; '...' takes everything as",
            "it is. Outside a transaction every command is a transaction of its own. TAB completes;",
            "Ctrl-C cancels a statement, and the transaction stays open."));
  }

  private static void timing(ShellSession session, Arguments arguments) {
    String word = arguments.text("on or off");
    arguments.end();
    switch (word) {
      case "on" -> session.setTiming(true);
      case "off" -> session.setTiming(false);
      default -> throw arguments.wrong("on or off must follow timing");
    }
  }

  private static void exit(ShellSession session, Arguments arguments) {
    arguments.end();
    session.finish(true);
  }
}
