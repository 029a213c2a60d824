package io.lampone.benchmarks.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.LamponeCommand;
import io.lampone.cli.Progress;
import io.lampone.cli.ScratchFolder;
import io.lampone.client.LamponeClient;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code lampone figures}. */
@Command(
    name = "figures",
    description = {
      "Shows what the fast path promises and what it does not: runs Figures 2 and 3 of the paper on"
          + " HBase and Lampone in one process.",
      "The exit code is 0 only if what must not happen has not happened."
    })
public final class FiguresCommand implements Callable<Integer>, LamponeCommand {

  @Mixin Measuring measuring = new Measuring();

  @Override
  public Integer call() {
    return measuring.run(this::run);
  }

  private int run(Progress progress) throws IOException {
    progress.step("Starting HBase with two region servers, and a transaction manager");
    try (ScratchFolder folder = ScratchFolder.create("lampone-figures");
        EmbeddedLampone cluster =
            EmbeddedLampone.start(
                EmbeddedHBaseConfig.builder(folder.path().resolve("data")).build());
        LamponeClient reader = LamponeClient.connect(cluster.configuration());
        LamponeClient a = LamponeClient.connect(cluster.configuration());
        LamponeClient b = LamponeClient.connect(cluster.configuration())) {
      PaperFigures figures = new PaperFigures(reader, a, b);
      figures.createTable();
      placeOnTwoServers(cluster);
      return show(figures, progress) ? 0 : 1;
    }
  }

  private boolean show(PaperFigures figures, Progress progress) throws IOException {
    progress.step("Figure 2: T1 begins and reads x; A puts x; then B puts y; T1 reads y");
    int strangers = figures.strangers();
    progress.print("  Has T1 seen B's put, without A's that had returned before B's began?");
    String of = " of " + PaperFigures.ROUNDS + " times";
    progress.print(
        "    A and B have not heard of each other    "
            + strangers
            + of
            + "   may happen: plain fastPath()");
    int oneClient = figures.oneClient();
    progress.print("    A and B are one LamponeClient           " + oneClient + of + "   never");
    int token = figures.token();
    progress.print(
        "    A hands B its token                     "
            + token
            + of
            + "   never: causalToken(), observe()");
    int strict = figures.strict();
    progress.print(
        "    B is strict                             "
            + strict
            + of
            + "   never: fastPath().strict()");
    progress.step("Figure 3: T1 begins and reads x; A puts x; T1 puts x and commits");
    boolean found = figures.conflictIsFound();
    progress.print(
        found
            ? "    T1 gets a ConflictException, and A's put stays. run() begins T1 again."
            : "    T1 has overwritten A's put without having seen it: a LOST UPDATE");
    ObjectNode node = new ObjectMapper().createObjectNode();
    node.put("rounds", PaperFigures.ROUNDS).put("strangers", strangers);
    node.put("oneClient", oneClient).put("token", token).put("strict", strict);
    node.put("conflictFound", found);
    measuring.report(progress, List.of(), node.toString());
    return oneClient + token + strict == 0 && found;
  }

  private static void placeOnTwoServers(EmbeddedLampone cluster) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(cluster.configuration())) {
      List<RegionInfo> regions = connection.getAdmin().getRegions(PaperFigures.TABLE);
      for (int i = 0; i < regions.size(); i++) {
        cluster.hbase().moveRegion(regions.get(i), i);
      }
    }
  }
}
