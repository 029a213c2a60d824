/** Which versions and transaction cells a flush or compaction keeps (protocol page, section 11). */
@NullMarked
package io.lampone.coprocessor.core.retention;

import org.jspecify.annotations.NullMarked;
