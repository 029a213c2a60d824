package io.lampone.cli.shell;

import io.lampone.cli.ConnectionOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Parameters of every {@code lampone table} verb that operates on one table. */
public final class TableVerb {

  public @Mixin ConnectionOptions connection = new ConnectionOptions();

  @Parameters(index = "0", paramLabel = "TABLE", description = "Which table.")
  public String name;

  @Option(names = "--json", description = "Standard output is one line of JSON.")
  public boolean json;
}
