package io.lampone.cli.doctor;

import io.lampone.hbase.TableSettings;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Judges the descriptor of a transactional table: its coprocessor, and settings of its families.
 */
final class SchemaExamination {

  private final TableDescriptor descriptor;
  private final List<DoctorFinding> findings = new ArrayList<>();

  SchemaExamination(TableDescriptor descriptor) {
    this.descriptor = descriptor;
  }

  /** Returns what is wrong with the table, and then with each of its families. */
  List<DoctorFinding> findings() {
    if (!descriptor.hasCoprocessor(TableSettings.COPROCESSOR)) {
      find(Ailment.NO_COPROCESSOR, "", "descriptor names no coprocessor of Lampone");
    } else if (descriptor.getCoprocessorDescriptors().stream()
        .noneMatch(TableSettings::isObserver)) {
      find(
          Ailment.WRONG_SCHEMA,
          "",
          "the coprocessor's priority must be " + TableSettings.COPROCESSOR_PRIORITY);
    }
    if (!Boolean.toString(false)
        .equals(descriptor.getValue(TableSettings.DELETE_EXPIRED_FILES_KEY))) {
      find(
          Ailment.WRONG_SCHEMA, "", "must be " + TableSettings.DELETE_EXPIRED_FILES_KEY + "=false");
    }
    for (ColumnFamilyDescriptor family : descriptor.getColumnFamilies()) {
      examine(family);
    }
    return findings;
  }

  private void examine(ColumnFamilyDescriptor family) {
    String name = family.getNameAsString();
    List<String> wrong = new ArrayList<>();
    check(wrong, family.getMaxVersions() == HConstants.ALL_VERSIONS, "VERSIONS=all");
    check(wrong, family.getTimeToLive() == HConstants.FOREVER, "TTL=none");
    check(wrong, family.getMinVersions() == 0, "MIN_VERSIONS=0");
    check(
        wrong, family.getKeepDeletedCells() == KeepDeletedCells.FALSE, "KEEP_DELETED_CELLS=FALSE");
    check(wrong, !family.isNewVersionBehavior(), "NEW_VERSION_BEHAVIOR=false");
    check(
        wrong,
        family.getInMemoryCompaction() == null
            || family.getInMemoryCompaction() == MemoryCompactionPolicy.NONE,
        "IN_MEMORY_COMPACTION=NONE");
    if (!wrong.isEmpty()) {
      find(Ailment.WRONG_SCHEMA, name, "must be " + String.join(" ", wrong));
    }
    if (family.isMobEnabled()) {
      find(Ailment.MOB_FAMILY, name, "must be IS_MOB=false");
    }
    if (family.getScope() != HConstants.REPLICATION_SCOPE_LOCAL) {
      find(
          Ailment.REPLICATED,
          name,
          "must be REPLICATION_SCOPE=" + HConstants.REPLICATION_SCOPE_LOCAL);
    }
  }

  private static void check(List<String> wrong, boolean holds, String demand) {
    if (!holds) {
      wrong.add(demand);
    }
  }

  private void find(Ailment ailment, String family, String detail) {
    findings.add(
        new DoctorFinding(ailment, descriptor.getTableName().getNameAsString(), family, detail));
  }
}
