package io.lampone.cli.backup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

class FolderNamesTest {

  @Test
  void tablesHaveFoldersOfTheirOwnAlsoWhereCaseDoesNotCount() {
    assertThat(
            folders("a", "bank:accounts", "b", "B", "b", "Plan.json", "backup.json", "plan.json"))
        .containsExactly(
            "a", "bank=accounts", "b", "B~2", "b~3", "Plan.json~2", "backup.json~2", "plan.json~3");
  }

  private static List<String> folders(String... tables) {
    FolderNames folders = BackupFolder.tableFolders();
    return List.of(tables).stream().map(name -> folders.of(TableName.valueOf(name))).toList();
  }
}
