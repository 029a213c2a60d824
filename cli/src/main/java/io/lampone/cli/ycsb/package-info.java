/** The command {@code ycsb}. */
@NullMarked
package io.lampone.cli.ycsb;

import org.jspecify.annotations.NullMarked;
