package io.lampone.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.lampone.client.CommitOutcomeUnknownException;
import io.lampone.client.LamponeClient;
import io.lampone.client.Transaction;
import io.lampone.embedded.EmbeddedHBaseConfig;
import io.lampone.embedded.EmbeddedLampone;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs each example on a real HBase and checks the result that its comments promise. */
class ExamplesIT {

  @TempDir private static Path folder;

  private static EmbeddedLampone lampone;
  private static LamponeClient client;

  @BeforeAll
  static void start() throws IOException {
    lampone = EmbeddedLampone.start(EmbeddedHBaseConfig.builder(folder).build());
    client = LamponeClient.connect(lampone.configuration());
  }

  @AfterAll
  static void stop() throws IOException {
    client.close();
    lampone.close();
  }

  @Test
  void bankTransfer() throws Exception {
    assertThat(BankTransfer.run(client)).isEqualTo("alice=90 bob=10");
  }

  @Test
  void partialRollback() throws Exception {
    assertThat(PartialRollback.run(client)).isEqualTo("order-1=1 order-2=0 order-3=3");
  }

  @Test
  void pastReads() throws Exception {
    assertThat(PastReads.run(client)).isEqualTo("before=20 now=25");
  }

  @Test
  void filteredScan() throws Exception {
    assertThat(FilteredScan.run(client)).isEqualTo("item-5 item-6 item-7 item-8 item-9");
  }

  @Test
  void retryByHand() throws Exception {
    assertThat(RetryByHand.run(client)).isEqualTo("visits=2 attempts=2");
  }

  @Test
  void unknownOutcome() throws Exception {
    assertThat(UnknownOutcome.run(client)).isEqualTo("paid");
  }

  /** A commit in an interrupted thread has an unknown outcome: the example requests the status. */
  @Test
  void unknownOutcome_interrupted_isAskedFor() throws Exception {
    TableName payments = ExampleTable.create(client, "payments");
    try (Transaction tx = client.begin()) {
      tx.table(payments).put(ExampleTable.put("payment-2", 100));
      Thread.currentThread().interrupt();
      CommitOutcomeUnknownException unknown =
          catchThrowableOfType(CommitOutcomeUnknownException.class, tx::commit);
      assertThat(Thread.interrupted()).isTrue();
      boolean paid = UnknownOutcome.hasCommitted(client, unknown);
      try (Transaction after = client.readOnly()) {
        assertThat(ExampleTable.read(after.table(payments), "payment-2")).isEqualTo(paid ? 100 : 0);
      }
    }
  }

  @Test
  void asyncTransfer() throws Exception {
    assertThat(AsyncTransfer.run(client)).isEqualTo("carol=65 dave=35");
  }

  @Test
  void fastPathCounter() throws Exception {
    assertThat(FastPathCounter.run(client)).isEqualTo("clicks=4");
  }

  @Test
  void writeSkew() throws Exception {
    assertThat(WriteSkew.run(client)).isEqualTo("without=0 with=1");
  }

  /** Every example has a test and a line on the page. */
  @Test
  void everyExampleIsRunHere_andOnThePage() throws Exception {
    Set<String> examples = new TreeSet<>();
    try (DirectoryStream<Path> sources =
        Files.newDirectoryStream(Path.of("src/main/java/io/lampone/examples"), "*.java")) {
      for (Path source : sources) {
        String name = source.getFileName().toString().replace(".java", "");
        if (!name.equals("package-info")
            && Modifier.isPublic(Class.forName("io.lampone.examples." + name).getModifiers())) {
          examples.add(Character.toLowerCase(name.charAt(0)) + name.substring(1));
        }
      }
    }
    Set<String> tests = new TreeSet<>();
    for (var method : ExamplesIT.class.getDeclaredMethods()) {
      if (method.isAnnotationPresent(Test.class)) {
        tests.add(method.getName());
      }
    }
    assertThat(examples).hasSize(9);
    assertThat(tests).containsAll(examples);
    String page = Files.readString(Path.of("../docs/getting-started.md")).toLowerCase(Locale.ROOT);
    assertThat(examples).allMatch(name -> page.contains("| `" + name.toLowerCase(Locale.ROOT)));
  }
}
