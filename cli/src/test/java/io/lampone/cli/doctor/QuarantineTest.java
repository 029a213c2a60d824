package io.lampone.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.cli.Failure;
import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.Bytes;
import io.lampone.protocol.ConflictLevel;
import io.lampone.protocol.RowFamily;
import io.lampone.protocol.Timestamps;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Failures while quarantined cells are released. */
class QuarantineTest {

  private static final TableName NAME = TableName.valueOf("t");
  private static final long VERSION = Timestamps.tick(1L << 60);

  private final List<String> told = new ArrayList<>();
  private TableDescriptor table =
      new TableSettings(Phase.ENABLED, ConflictLevel.ROW, VERSION)
          .applyTo(
              TableDescriptorBuilder.newBuilder(NAME)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f")))
          .build();
  private int puts;
  private int failingPut;
  private int changes;
  private int failingChange;
  private TableDescriptor changed;

  @Test
  void whatWasDoneBeforeAFailureIsNotToldAsFailed() {
    failingPut = 2;
    assertThat(release()).isEmpty();
    assertThat(told)
        .containsExactly(
            "a aborted", "b could not: IOException: put 2", "c could not: IOException: put 2");
    assertThat(phase()).isEqualTo(Phase.ENABLED);
  }

  @Test
  void aTableThatStaysClosedIsTold() {
    failingChange = 2;
    assertThat(release())
        .hasValueSatisfying(
            failure -> {
              assertThat(failure.message())
                  .isEqualTo("table=t takes no writes: IOException: change 2");
              assertThat(failure.advice()).isEqualTo("'lampone table enable t' opens it");
            });
    assertThat(told).containsExactly("a aborted", "b aborted", "c aborted");
    assertThat(phase()).isEqualTo(Phase.CHANGING);
  }

  @Test
  void aTableThatWasNotClosedIsNotToldAsClosed() {
    failingChange = 1;
    assertThat(release()).isEmpty();
    assertThat(told).hasSize(3).allMatch(line -> line.endsWith("could not: IOException: change 1"));
  }

  @Test
  void aTableThatAnotherOperatorClosesMeanwhileStaysClosed() {
    changed =
        new TableSettings(Phase.CHANGING, ConflictLevel.ROW, VERSION + 2 * Timestamps.TICK)
            .applyTo(TableDescriptorBuilder.newBuilder(table))
            .build();
    assertThat(release())
        .hasValueSatisfying(
            failure ->
                assertThat(failure.message()).contains("another program has changed the table"));
    assertThat(told).containsExactly("a aborted", "b aborted", "c aborted");
    assertThat(table).isEqualTo(changed);
  }

  @Test
  void aTableThatAnotherOperatorMakesPlainMeanwhileStaysPlain() {
    changed =
        TableDescriptorBuilder.newBuilder(NAME)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
            .build();
    assertThat(release())
        .hasValueSatisfying(
            failure ->
                assertThat(failure.message()).contains("another program has changed the table"));
    assertThat(table).isEqualTo(changed);
  }

  private Optional<Failure> release() {
    Connection connection =
        fake(
            Connection.class,
            (proxy, method, arguments) ->
                method.getName().equals("getAdmin")
                    ? fake(Admin.class, this::admin)
                    : fake(Table.class, this::put));
    List<DoctorFinding> findings = Stream.of("a", "b", "c").map(QuarantineTest::finding).toList();
    return new Quarantine(connection, () -> VERSION + Timestamps.TICK)
        .release(NAME, findings, (finding, became) -> told.add(finding.place() + " " + became));
  }

  private Object admin(Object proxy, Method method, Object[] arguments) throws IOException {
    switch (method.getName()) {
      case "getDescriptor":
        return table;
      case "modifyTable":
        changes++;
        if (changes == failingChange) {
          throw new IOException("change " + changes);
        }
        table = (TableDescriptor) arguments[0];
        return null;
      default:
        return null;
    }
  }

  private Object put(Object proxy, Method method, Object[] arguments) throws IOException {
    if (method.getName().equals("put")) {
      puts++;
      if (changed != null) {
        table = changed;
      }
      if (puts == failingPut) {
        throw new IOException("put " + puts);
      }
    }
    return null;
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static DoctorFinding finding(String row) {
    return new DoctorFinding(
        Ailment.UNDECODABLE_CELL,
        "t",
        row,
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.of(
            new DoctorFinding.Stored(
                new RowFamily("t", Bytes.utf8(row), Bytes.utf8("f")), Bytes.EMPTY, VERSION)));
  }

  private Phase phase() {
    return TableSettings.of(table).orElseThrow().phase();
  }
}
