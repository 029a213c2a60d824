package io.lampone.faultlab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CollectedTest {

  @TempDir private Path folder;

  @Test
  void theLogsOfRegionServersTellWhatIsGone() throws Exception {
    Path one =
        Files.writeString(
            folder.resolve("rs1.log"),
            """
            2026-11-23 11:20:00,001 INFO  [compactions-1] i.l.c.CollectingScanner Collected, region=torture-bank-7,,1.0a. safePoint=4096 complete=true kept=3 dropped=4 frozen=5
            2026-11-23 11:20:00,002 INFO  [compactions-1] o.a.h.h.r.HStore Completed compaction
            2026-11-23 11:20:00,003 INFO  [flusher-1] i.l.c.CollectingScanner Collected, region=torture-mix-7,40,1.0b. safePoint=4096 complete=false kept=1 dropped=20 frozen=0
            """);
    Path missing = folder.resolve("rs2.log");
    Collected all = Collected.read(List.of(one, missing));
    assertThat(all).isEqualTo(new Collected(2, 24, 5));
    assertThat(all.plus(all).since(all)).isEqualTo(all);
  }
}
