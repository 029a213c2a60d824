package io.lampone.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code lampone config ...}. */
@Command(
    name = "config",
    description = "Explains every property, and says what is wrong with a file of them.")
final class ConfigCommand implements Runnable {

  @Spec CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "say what to do: site, page or validate");
  }

  @Command(
      name = "site",
      description = "Prints a lampone-site.xml in which every property is explained.",
      footer = {"", "Exit codes: 0 printed; 2 wrong options."})
  int site() {
    return print(PropertyReference.siteFile());
  }

  @Command(
      name = "page",
      description = "Prints the same as a page of the documentation.",
      footer = {"", "Exit codes: 0 printed; 2 wrong options."})
  int page() {
    return print(PropertyReference.page());
  }

  @Command(
      name = "validate",
      description =
          "Says what is wrong with the properties of a file; of conf/lampone-site.xml if none is"
              + " named.",
      footer = {"", "Exit codes: 0 nothing is; 1 something is; 2 wrong options."})
  int validate(
      @Parameters(
              arity = "0..1",
              paramLabel = "FILE",
              description = "A properties file, or a site file if its name ends in .xml.")
          @Nullable Path file,
      @Option(names = "--json", description = "Standard output is one line of JSON.")
          boolean json) {
    Logging.toStandardError(false);
    List<String> problems = SiteFile.problems(SiteFile.readAny(file));
    if (json) {
      ObjectNode node = new ObjectMapper().createObjectNode();
      problems.forEach(node.putArray("problems")::add);
      spec.commandLine().getOut().println(node);
    } else {
      problems.forEach(spec.commandLine().getOut()::println);
    }
    spec.commandLine().getOut().flush();
    return problems.isEmpty() ? 0 : 1;
  }

  private int print(String text) {
    spec.commandLine().getOut().print(text);
    spec.commandLine().getOut().flush();
    return 0;
  }
}
