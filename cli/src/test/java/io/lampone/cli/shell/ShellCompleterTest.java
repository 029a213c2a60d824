package io.lampone.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lampone.cli.FakeDatabase;
import io.lampone.client.LamponeAdmin;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.time.Clock;
import io.lampone.protocol.time.SystemClock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.jline.reader.Candidate;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser.ParseContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellCompleterTest {

  private final FakeDatabase database = new FakeDatabase();
  private NameLookup names;
  private ShellCompleter completer;

  @BeforeEach
  void createTables() throws IOException {
    create("bank");
    create("bar");
    names = new NameLookup(database, SystemClock.INSTANCE);
    completer = new ShellCompleter(ShellVerbs.all().values(), names);
  }

  private void create(String name) throws IOException {
    database
        .admin()
        .createTable(
            TableDescriptorBuilder.newBuilder(TableName.valueOf(name))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("a"))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("money"))
                .build(),
            ConflictLevel.ROW);
  }

  @AfterEach
  void close() {
    names.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "ro                               | rollback",
        "begin; sav                       | savepoint",
        "scan 'ba                         | bank bar",
        "scan ba                          | bank bar",
        "scan ro                          | ``",
        "put x f:q v; SCAN bar            | bar",
        "get bank r                       | ``",
        "get bank row m                   | money money:",
        "get bank row a:x mo              | money money:",
        "get 'bank', 'a row', 'm          | money money:",
        "put bank row m                   | money:",
        "put nothing row m                | ``",
        "create ba                        | ``",
        "create new f {L                  | LEVEL",
        "create new f {LEVEL => C         | CELL",
        "create new f {LEVEL => 'C        | CELL",
        "scan bank {LIM                   | LIMIT",
        "scan bank {LIMIT => 1, L         | ``",
        "scan bank {LIMIT => 1, STOP      | STOPROW",
        "scan bank {REVERSED => t         | true",
        "scan bank {STARTROW => B         | ``",
        "scan bank {COLUMNS => ['a', 'mo  | money money:",
        "alter bank mo                    | money",
        "alter bank money {CELL_TTL => f  | false",
        "alter bank {PLAIN_CLIENTS => F   | FAST_PATH",
        "drop bank con                    | confirm",
        "begin r                          | readonly",
        "begin l                          | latest",
        "begin se                         | serializable session",
        "begin latest {T                  | TIMEOUT",
        "rollback t                       | to",
        "timing o                         | off on",
        "help sc                          | scan",
        "frobnicate ba                    | ``",
      })
  void everyPlaceHasItsWords(String text, String expected) {
    assertThat(String.join(" ", candidates(text))).isEqualTo(expected);
  }

  @Test
  void noCommandIsOfferedWhereATableIsExpected() {
    for (Verb verb : ShellVerbs.all().values()) {
      if (verb.usage().startsWith(verb.name() + " 'TABLE'")) {
        assertThat(candidates(verb.name() + " ")).as(verb.name()).containsExactly("bank", "bar");
      }
    }
    assertThat(candidates("")).contains("scan", "begin", "exit");
  }

  @Test
  void aClusterThatIsAwayHoldsThePromptForAMomentOnly() throws IOException {
    CountDownLatch away = new CountDownLatch(1);
    LamponeAdmin silent =
        (LamponeAdmin)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {LamponeAdmin.class},
                (proxy, method, arguments) -> {
                  away.await();
                  return database.admin().listTables();
                });
    Database absent =
        (Database)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Database.class},
                (proxy, method, arguments) -> silent);
    long[] nanos = {1};
    Clock clock =
        new Clock() {
          @Override
          public long wallMillis() {
            return 0;
          }

          @Override
          public long monotonicNanos() {
            return nanos[0];
          }
        };
    try (NameLookup lookup = new NameLookup(absent, clock)) {
      long began = System.nanoTime();
      assertThat(lookup.tables()).isEmpty();
      assertThat(lookup.tables()).as("asked once").isEmpty();
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
          .isBetween(NameLookup.WAIT_MILLIS, 100 * NameLookup.WAIT_MILLIS);
      away.countDown();
      assertThat(lookup.tables()).containsExactlyInAnyOrder("bank", "bar");
      create("late");
      assertThat(lookup.tables()).as("kept for a while").hasSize(2);
      nanos[0] += TimeUnit.SECONDS.toNanos(6);
      assertThat(lookup.tables()).hasSize(3);
    }
  }

  /**
   * Returns the candidates at the end of {@code text}, as the line editor selects them. The names
   * are known first, however long a busy machine takes to read them.
   */
  private List<String> candidates(String text) {
    await().atMost(1, TimeUnit.MINUTES).until(() -> !names.tables().isEmpty());
    await().atMost(1, TimeUnit.MINUTES).until(() -> !names.families("bank").isEmpty());
    ParsedLine line = ShellCompleter.words().parse(text, text.length(), ParseContext.COMPLETE);
    List<Candidate> all = new ArrayList<>();
    completer.complete(null, line, all);
    return all.stream()
        .map(Candidate::value)
        .filter(v -> v.startsWith(line.word()))
        .sorted()
        .toList();
  }
}
