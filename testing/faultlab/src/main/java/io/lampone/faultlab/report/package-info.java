/** What a run looked like, for people. */
@NullMarked
package io.lampone.faultlab.report;

import org.jspecify.annotations.NullMarked;
