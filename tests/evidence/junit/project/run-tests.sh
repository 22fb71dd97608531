#!/bin/sh
# What `mvn test` does, where there is no Maven: run-tests.sh REPORT
set -e
export JAVA_TOOL_OPTIONS=-XX:TieredStopAtLevel=1
rm -rf target && mkdir -p target/classes
cp -R src/test/resources/. target/classes
javac -proc:none -d target/classes -cp lib/junit.jar $(find src -name '*.java')
code=0
java -jar lib/junit.jar -cp target/classes --scan-classpath --reports-dir target/reports \
    --disable-banner --details summary || code=$?
cp target/reports/TEST-junit-jupiter.xml "$1"
exit $code
