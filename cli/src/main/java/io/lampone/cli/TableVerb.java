package io.lampone.cli;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What every verb of {@code lampone table} takes that is about one table. */
final class TableVerb {

  @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Parameters(index = "0", paramLabel = "TABLE", description = "Which table.")
  String name;

  @Option(names = "--json", description = "Standard output is one line of JSON.")
  boolean json;

  @SuppressWarnings("NullAway.Init") // picocli sets the fields
  TableVerb() {}
}
