/** What a run looked like, for people. */
@NullMarked
package io.lampone.torture.report;

import org.jspecify.annotations.NullMarked;
