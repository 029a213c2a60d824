package io.lampone.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.lampone.hbase.TableSettings;
import io.lampone.hbase.TableSettings.Phase;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;

/** Correction of a schema that another operator may have changed since it was examined. */
class TreatmentTest {

  private static final DoctorFinding WRONG =
      new DoctorFinding(Ailment.WRONG_SCHEMA, "t", "", "it keeps one version");

  private final List<String> changes = new ArrayList<>();
  private TableDescriptor table =
      TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
          .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
          .build();

  @Test
  void aTableThatIsPlainMeanwhileIsLeftAlone() throws IOException {
    assertThat(treated()).startsWith("left alone: it is not transactional any more");
    assertThat(changes).isEmpty();
  }

  @Test
  void aTableThatIsBeingChangedIsLeftAlone() throws IOException {
    table = inPhase(Phase.CHANGING);
    assertThat(treated()).startsWith("left alone: it is being enabled or disabled");
    assertThat(changes).isEmpty();
  }

  @Test
  void aTableThatIsStillTransactionalIsCorrected() throws IOException {
    table = inPhase(Phase.ENABLED);
    assertThat(treated()).isEqualTo("corrected");
    assertThat(changes).containsExactly("modifyTable");
  }

  private TableDescriptor inPhase(Phase phase) {
    return new TableSettings(phase, ConflictLevel.ROW, 1L << 60)
        .applyTo(TableDescriptorBuilder.newBuilder(table))
        .build();
  }

  private String treated() throws IOException {
    return new Treatment(connection(), Doctor.OPEN, null, 0).of(WRONG);
  }

  private Connection connection() {
    return fake(Connection.class, fake(Admin.class, null));
  }

  /** Answers with an admin, or as one. */
  private <T> T fake(Class<T> type, Admin admin) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              switch (method.getName()) {
                case "getAdmin":
                  return admin;
                case "getDescriptor":
                  return table;
                case "close":
                  return null;
                default:
                  changes.add(method.getName());
                  return null;
              }
            }));
  }
}
