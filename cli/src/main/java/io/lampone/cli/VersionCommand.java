package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code lampone version}: the same as {@code lampone --version}, for scripts too. */
@Command(name = "version", description = "Print the versions of Lampone, HBase and Java.")
final class VersionCommand implements Runnable {

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Standard output is one line of JSON.")
  boolean json;

  @Override
  public void run() {
    if (json) {
      ObjectNode node = new ObjectMapper().createObjectNode();
      Versions.all().forEach(node::put);
      spec.commandLine().getOut().println(node);
    } else {
      spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
    }
  }
}
