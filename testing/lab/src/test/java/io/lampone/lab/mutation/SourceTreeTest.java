package io.lampone.lab.mutation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lampone.cli.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceTreeTest {

  private static final List<String> FILES =
      List.of(
          "100644 blob 1\tclient-lib/src/main/java/a/Thing.java",
          "100644 blob 1\tclient-lib/src/test/java/a/ThingTest.java",
          "100644 blob 1\ttesting/faultlab/src/main/java/a/Lab.java",
          "100644 blob 1\ttesting/lab/src/main/java/a/Command.java",
          "100644 blob 1\tcli/pom.xml",
          "100644 blob 1\tdocs/testing.md",
          "100644 blob 1\tphoenix/src/main/java/a/Sql.java",
          "100644 blob 1\ttesting/lab/src/main/resources/a/mutation/layers.properties");

  @TempDir private Path folder;

  @Test
  void productAndTests_haveTheirOwnHashes_andPagesNone() {
    SourceTree tree = SourceTree.of("c", FILES);
    for (int changed : List.of(0, 4, 6)) {
      assertThat(withChanged(changed).product()).isNotEqualTo(tree.product());
      assertThat(withChanged(changed).tests()).isEqualTo(tree.tests());
    }
    for (int changed : List.of(1, 2, 7)) {
      assertThat(withChanged(changed).product()).isEqualTo(tree.product());
      assertThat(withChanged(changed).tests()).isNotEqualTo(tree.tests());
    }
    for (int changed : List.of(3, 5)) {
      assertThat(withChanged(changed)).isEqualTo(tree);
    }
  }

  @Test
  void aFolderThatIsNoClone_isRefused() {
    assertThatThrownBy(() -> SourceTree.read(folder))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("not a clone");
  }

  @Test
  void sourcesThatAreNotCommitted_areRefused_andPagesAreNot() throws Exception {
    Path source = write("cli/src/main/java/a/Thing.java", "class Thing {}");
    write("docs/page.md", "text");
    commitAll(folder);
    SourceTree committed = SourceTree.read(folder);

    write("docs/page.md", "changed");
    write("notes.txt", "new");
    assertThat(SourceTree.read(folder)).isEqualTo(committed);

    Files.writeString(source, "class Thing { int a; }");
    assertThatThrownBy(() -> SourceTree.read(folder))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("Thing.java");
    commitAll(folder);
    assertThat(SourceTree.read(folder).product()).isNotEqualTo(committed.product());

    write("cli/src/main/java/a/New.java", "class New {}");
    assertThatThrownBy(() -> SourceTree.read(folder)).hasMessageContaining("New.java");
  }

  static void commitAll(Path folder) throws IOException, InterruptedException {
    SourceTree.git(folder, "init", "-q");
    SourceTree.git(folder, "add", "-A");
    String[] user = {"-c", "user.name=Test", "-c", "user.email=test@example.org"};
    SourceTree.git(
        folder, user[0], user[1], user[2], user[3], "commit", "-q", "--no-gpg-sign", "-m", "Test");
  }

  private Path write(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    return Files.writeString(path, text);
  }

  private static SourceTree withChanged(int index) {
    List<String> files = new ArrayList<>(FILES);
    files.set(index, files.get(index).replace("blob 1", "blob 2"));
    return SourceTree.of("c", files);
  }
}
