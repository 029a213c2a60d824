package io.lampone.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.UsageMessageSpec;

/** List of commands in the help of {@code lampone}, in groups; those of the lab come last. */
final class CommandGroups implements IHelpSectionRenderer {

  private static final String LAB = "Lab (lampone-lab)";
  private static final int NAME_WIDTH = 20;
  private static final int INDENT = 2;

  private static final List<Group> GROUPS =
      List.of(
          new Group("First steps", List.of("quickstart", "shell", "sql", "bank")),
          new Group("Tables and data", List.of("table", "export", "restore", "snapshot")),
          new Group(
              "Operation",
              List.of("tm", "validator", "hold", "check", "doctor", "console", "config")),
          new Group("Other", List.of("ycsb", "completion", "version", "help")));

  /** Commands under one heading. */
  private record Group(String heading, List<String> commands) {}

  @Override
  public String render(Help help) {
    Map<String, CommandLine> others = new TreeMap<>(help.commandSpec().subcommands());
    StringBuilder text = new StringBuilder();
    for (Group group : GROUPS) {
      append(
          text, help, group.heading, group.commands.stream().filter(others::containsKey).toList());
      group.commands.forEach(others::remove);
    }
    append(text, help, LAB, new ArrayList<>(others.keySet()));
    return text.toString();
  }

  private static void append(StringBuilder all, Help help, String heading, List<String> names) {
    int width = help.commandSpec().usageMessage().width();
    TextTable table =
        TextTable.forColumns(
            help.colorScheme(),
            new Column(NAME_WIDTH, INDENT, Overflow.SPAN),
            new Column(width - NAME_WIDTH, INDENT, Overflow.WRAP));
    for (String name : names) {
      CommandLine command = Lampone.find(help.commandSpec().commandLine(), name);
      UsageMessageSpec usage = command.getCommandSpec().usageMessage();
      String[] text = usage.header().length > 0 ? usage.header() : usage.description();
      table.addRowValues(name, String.format(text[0]));
    }
    all.append(String.format("%n%s:%n", heading)).append(table);
  }
}
