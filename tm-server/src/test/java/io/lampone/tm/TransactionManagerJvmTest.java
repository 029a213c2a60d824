package io.lampone.tm;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TransactionManagerJvmTest {

  @TempDir private Path folder;

  @Test
  void hugePagesAreAskedForOnlyWhereTheyAreToBeHad() throws Exception {
    assertThat(hugePages("always [madvise] never")).isTrue();
    assertThat(hugePages("[always] madvise never")).isTrue();
    assertThat(hugePages("always madvise [never]")).isFalse();
    assertThat(TransactionManagerJvm.hugePages(folder.resolve("absent"))).isEmpty();
  }

  private boolean hugePages(String modes) throws Exception {
    Path file = Files.writeString(folder.resolve("enabled"), modes + "\n");
    return TransactionManagerJvm.hugePages(file).contains("-XX:+UseTransparentHugePages");
  }
}
