package io.lampone.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.client.ConflictException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Two clients that fight for one row, as the console shows them. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HotRowsIT {

  private static final byte[] FAMILY = {'f'};
  private static final TableName ACCOUNTS = TableName.valueOf("accounts");
  private static final TableName HISTORY = TableName.valueOf("history");
  private static final TableName QUIET = TableName.valueOf("quiet");
  private static final Pattern ADDRESS = Pattern.compile("Console: (http://localhost:\\d+/)");
  private static final int FIGHTS = 6;

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;

  @Test
  void rowsOfConflictsAndTheirLosersAreShown() throws Exception {
    try (EmbeddedLampone cluster =
            EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder.resolve("data")).build());
        LamponeClient first = LamponeClient.connect(cluster.clientConfiguration());
        LamponeClient second = LamponeClient.connect(cluster.clientConfiguration());
        LamponeClient discreet = LamponeClient.connect(discreet(cluster))) {
      for (TableName table : new TableName[] {ACCOUNTS, HISTORY, QUIET}) {
        first
            .admin()
            .createTable(
                TableDescriptorBuilder.newBuilder(table)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                    .build(),
                ConflictLevel.ROW);
      }
      Path file = folder.resolve("hbase-site.xml");
      try (var out = Files.newOutputStream(file)) {
        cluster.clientConfiguration().writeXml(out);
      }
      StringWriter printed = new StringWriter();
      Thread console = console(file, printed);
      try {
        String address = address(printed);
        assertThat(await(address, 0)).isEmpty();
        for (int i = 0; i < FIGHTS; i++) {
          fight(i % 2 == 0 ? first : second, i % 2 == 0 ? second : first, true, "a\u0000<b>");
        }
        fight(first, second, false, "once"); // in one region: the manager learns nothing of it
        fight(second, discreet, false, "secret");
        write(first, QUIET, "calm");
        JsonNode rows = await(address, FIGHTS + 2);
        assertThat(rows.get(0).get("row").asText()).isEqualTo("a\\x00<b>");
        assertThat(rows.get(0).get("table").asText()).isEqualTo("accounts");
        assertThat(rows.get(0).get("kind").asText()).isEqualTo("write-write");
        assertThat(rows.get(0).get("conflicts").asInt()).isEqualTo(FIGHTS);
        assertThat(rows.get(0).get("losers")).as("both clients").hasSize(2);
        assertThat(rows.get(0).at("/losers/0/conflicts").asInt()).isEqualTo(FIGHTS / 2);
        Set<String> others = new HashSet<>();
        others.add(rows.get(1).get("row").asText());
        others.add(rows.get(2).get("row").asText());
        assertThat(others).containsExactlyInAnyOrder("once", "");
        assertThat(rows.toString()).doesNotContain("calm").doesNotContain("secret");
      } finally {
        console.interrupt();
        console.join();
      }
    }
  }

  private static Configuration discreet(EmbeddedLampone cluster) {
    Configuration configuration = new Configuration(cluster.clientConfiguration());
    configuration.set("lampone.client.report.rows", "false");
    return configuration;
  }

  /** Lets a transaction of {@code loser} conflict with one of {@code winner}. */
  private static void fight(
      LamponeClient winner, LamponeClient loser, boolean twoTables, String row) throws IOException {
    try (Transaction late = loser.begin()) {
      late.table(ACCOUNTS).put(put(row));
      if (twoTables) {
        late.table(HISTORY).put(put(row));
      }
      write(winner, ACCOUNTS, row);
      late.commit();
      assertThat(row).as("a conflict").isEmpty();
    } catch (ConflictException expected) {
      assertThat(expected.row()).isEqualTo(row.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void write(LamponeClient client, TableName table, String row) throws IOException {
    client.run(
        tx -> {
          tx.table(table).put(put(row));
          return true;
        });
  }

  private static Put put(String row) {
    return new Put(row.getBytes(StandardCharsets.UTF_8)).addColumn(FAMILY, FAMILY, FAMILY);
  }

  private static Thread console(Path site, StringWriter printed) {
    Thread thread =
        new Thread(
            () ->
                new CommandLine(new ConsoleCommand())
                    .setOut(new PrintWriter(printed))
                    .execute("--port", "0", "--config", site.toString()),
            "console");
    thread.start();
    return thread;
  }

  private static String address(StringWriter printed) throws InterruptedException {
    while (true) {
      Matcher found = ADDRESS.matcher(printed.toString());
      if (found.find()) {
        return found.group(1);
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Waits until the hot rows of the overview have so many conflicts; returns them. */
  private JsonNode await(String address, int conflicts) throws IOException, InterruptedException {
    while (true) {
      JsonNode hot =
          json.readTree(
                  http.send(
                          HttpRequest.newBuilder(URI.create(address + "api/overview")).build(),
                          HttpResponse.BodyHandlers.ofString())
                      .body())
              .get("hotRows");
      int sum = 0;
      for (JsonNode row : hot) {
        sum += row.get("conflicts").asInt();
      }
      if (hot.isArray() && sum == conflicts) {
        return hot;
      }
      TimeUnit.MILLISECONDS.sleep(200);
    }
  }
}
